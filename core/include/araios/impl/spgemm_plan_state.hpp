// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/impl/numbers.hpp>
#include <araios/impl/spgemm_rows.hpp>

namespace araios {

/// How the products of a row are summed. `automatic` is `dense` on host backends, one thread per
/// row, and `hash` elsewhere, a group of threads per row, with dense windows for the longest rows;
/// with CUDA and ordinals of type int it is what the specialisation chooses for each row.
enum class spgemm_accumulator { automatic, hash, dense };

struct spgemm_options {
  spgemm_accumulator accumulator = spgemm_accumulator::automatic;
  /// Whether the columns of each row of C ascend.
  bool sort_rows = true;
  /// The workspace for rows that no table in scratch memory takes, and that of the threads of host
  /// backends, is kept below this; long rows then take more passes. 0: 16 times what A and B take,
  /// but at least 32 MiB. (At least 4 windows of 64 columns are always taken.)
  std::size_t max_workspace_bytes = 0;
  /// Whether the plan keeps the columns of C and where both factors of every product lie, so that
  /// `multiply` only gathers, multiplies and adds: faster where it is repeated, and with the same
  /// bits every time. Making the plan then takes several products' time and waits for all
  /// instances. It holds 8 bytes for every product (at most), the column and 2 bytes for every
  /// entry of C and 24 for every entry of more than 127 products; while it is made 4 bytes and a
  /// value more for every entry of C. Rows of C are sorted. A and B must have fewer than 2^32
  /// entries, and no entry of C as many products.
  bool keep_products = false;
};

namespace impl::spgemm {

template <crs_like A, crs_like B>
using offset_of =
    std::common_type_t<typename crs_view_of<A>::offset_type, typename crs_view_of<B>::offset_type>;

/// The value type of C: that of the operands if it is one, else the type of their product.
template <crs_like A, crs_like B>
using value_of = std::conditional_t<
    std::is_same_v<std::remove_const_t<typename crs_view_of<A>::value_type>,
                   std::remove_const_t<typename crs_view_of<B>::value_type>>,
    std::remove_const_t<typename crs_view_of<A>::value_type>,
    product_t<typename crs_view_of<A>::value_type, typename crs_view_of<B>::value_type>>;

/// The sizes and arrays of an operand for which the plan was made.
struct operand {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::uint64_t pattern = 0;
  void const* row_map = nullptr;  ///< arrays known to hold the pattern
  void const* entries = nullptr;
};

/// What a specialised backend keeps in a plan beside what the portable phases share.
template <class Space>
struct plan_extension {
  static constexpr std::size_t bytes() { return 0; }
  /// The most of it for operands of these sizes and a budget for the workspace, beyond what the
  /// portable phases may take.
  template <class A, class B>
  static constexpr std::size_t bound(A const&, B const&, std::size_t) {
    return 0;
  }
};

/// A few words that the kernels of a plan share: the error flag, the counter that deals blocks of
/// rows on host backends, and where the next row of each bin goes. Backends may keep them
/// elsewhere.
template <class Space>
class plan_control {
 public:
  plan_control() = default;
  explicit plan_control(Space const& space)
      : words_(Kokkos::view_alloc(space, "araios::spgemm::control")) {}

  /// Set by a kernel that meets another pattern than that of the plan.
  std::int64_t* error() const { return words_.data(); }
  std::int64_t* next_block() const { return words_.data() + 1; }
  std::int64_t* bin_cursor() const { return words_.data() + 2; }
  std::size_t bytes() const { return words_.span() * sizeof(std::int64_t); }
  /// From now on used by kernels of this instance.
  void use_on(Space const&) const {}

  /// Waits for `space` and says whether the flag was set; it is not afterwards.
  bool take_error(Space const& space) const {
    auto const flag = Kokkos::subview(words_, 0);
    std::int64_t error = 0;
    Kokkos::deep_copy(space, error, flag);
    space.fence("araios::spgemm_plan::check");
    if (error != 0) Kokkos::deep_copy(space, flag, std::int64_t{0});
    return error != 0;
  }

 private:
  Kokkos::View<std::int64_t[2 + max_bins], typename Space::memory_space> words_;
};

/// Where the factors of a product lie in A and B.
struct product_factors {
  std::uint32_t a;
  std::uint32_t b;
};

/// An entry of C that is summed by a team of its own, and where its products are.
struct long_sum {
  std::int64_t place;
  std::int64_t begin;
  std::int64_t end;
};

/// What a plan keeps of every product if asked to. Entries of C are divided into chunks of
/// `tuning::spgemm_kept_chunk`, whose products follow one another entry by entry.
template <class Space, class Ordinal>
struct kept_products {
  using memory_space = typename Space::memory_space;
  Kokkos::View<Ordinal*, memory_space> entries;           ///< columns of C
  Kokkos::View<std::int64_t*, memory_space> chunk_begin;  ///< of a chunk among the factors
  Kokkos::View<std::uint16_t*, memory_space> begin;       ///< of an entry in its chunk
  Kokkos::View<product_factors*, memory_space> factors;   ///< at last those of long sums
  Kokkos::View<long_sum*, memory_space> long_sums;
  std::int64_t in_chunks = 0;  ///< products before those of long sums

  bool used() const { return entries.extent(0) > 0; }
  std::size_t bytes() const {
    return chunk_begin.span() * sizeof(std::int64_t) + begin.span() * sizeof(std::uint16_t) +
           factors.span() * sizeof(product_factors) + long_sums.span() * sizeof(long_sum);
  }
};

/// What the two phases share.
template <class Space, class Ordinal, class Offset, class Value>
struct plan_state {
  using memory_space = typename Space::memory_space;

  spgemm_options options;
  mutable operand a;
  mutable operand b;
  std::int64_t products = 0;
  std::int64_t nnz = 0;
  int width = 1;  ///< lanes that share a row of B

  Kokkos::View<Offset*, memory_space> row_map;  ///< of C; before: products, then entries per row
  Kokkos::View<Ordinal*, memory_space> rows;    ///< row ids bin by bin, if there are several bins
  bin_table table;                              ///< of the phase at hand, at last the numeric one
  std::int64_t bin_begin[max_bins + 1] = {};    ///< where each bin starts in `rows`
  bool several_bins = false;                    ///< else `rows` is not used: bin row i is row i

  Kokkos::View<char*, memory_space> workspace;  ///< of the numeric phase; zero between uses
  std::int64_t window = 0;                      ///< columns that one share of the workspace covers
  int shares = 0;                               ///< teams or threads with a share of their own

  kept_products<Space, Ordinal> kept;  ///< if asked for
  [[no_unique_address]] plan_extension<Space> extension;
  plan_control<Space> control;

  Ordinal const* bin_rows(std::int64_t first) const {
    return several_bins ? rows.data() + first : nullptr;
  }
};

}  // namespace impl::spgemm
}  // namespace araios
