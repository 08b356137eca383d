// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include <araios/matrix/bcsr.hpp>
#include <araios/matrix/ccs.hpp>
#include <araios/matrix/coo.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/matrix/dia.hpp>
#include <araios/matrix/ell.hpp>
#include <araios/matrix/hyb.hpp>
#include <araios/matrix/rgcsr.hpp>
#include <araios/matrix/sliced_ell.hpp>

/// Conversions between storage formats, on `space` and in parallel (CCS, BCSR and DIA sort by
/// `Kokkos::sort`, which is sequential on hosts). From anything `crs_like`
/// directly, from any other matrix by way of compressed rows; types of values, ordinals and offsets
/// stay the same.
/// - The new matrix owns its arrays. They are allocated before a conversion returns; what is in
///   them may still be being written on `space`. Conversions wait for `space` where a size has to be
///   known.
/// - Duplicates are kept as entries of their own, but added in BCSR and DIA. Entries keep their
///   order within the rows, except that CCS, BCSR and DIA order them by columns: going back gives the
///   matrix that one started with, exactly, if its rows were sorted and without duplicates (BCSR and DIA
///   make -0 of values 0). Duplicates are added in no order, so that last bits may vary.
/// - Slots without an entry (padding, artificial zeros) hold the column -1 or are marked or counted
///   as such, and are never multiplied.
/// - Sizes are computed in 64 bits. Before anything of such a size is allocated,
///   std::overflow_error is thrown if slots do not fit the offset type, and std::length_error, with
///   the number of bytes, if the format takes more than `most_growth` times the bytes of the
///   compressed rows (and more than a megabyte). std::invalid_argument is thrown for options out of
///   their range.
namespace araios {

/// How many times the bytes of the compressed rows a format may take, unless options say otherwise.
inline constexpr double default_growth = 20.0;

/// Back to compressed rows.
template <execution_instance Space, stored_matrix Matrix>
auto to_crs(Space const& space, Matrix const& a);

template <execution_instance Space, convertible_matrix Matrix>
auto to_coo(Space const& space, Matrix const& a);

/// Its arrays are those of the transpose in compressed rows, sorted.
template <execution_instance Space, convertible_matrix Matrix>
auto to_ccs(Space const& space, Matrix const& a);

struct ell_options {
  double most_growth = default_growth;
};
template <execution_instance Space, convertible_matrix Matrix>
auto to_ell(Space const& space, Matrix const& a, ell_options const& options = {});

struct sliced_ell_options {
  int slice_size = 32;  ///< rows of a slice, at least 1
  int window = 1;       ///< rows are sorted by length within so many (SELL-C-sigma); a power of two
                        ///< up to 4096; 1: not at all
  double most_growth = default_growth;
};
template <execution_instance Space, convertible_matrix Matrix>
auto to_sliced_ell(Space const& space, Matrix const& a, sliced_ell_options const& options = {});

struct hyb_options {
  int width = -1;  ///< of the ELL part; -1: as many entries as at least a third of the rows have,
                   ///< the rule of Bell and Garland (SC 2009): ELL is about three times as fast as
                   ///< a list where its slots are full
  double most_growth = default_growth;
};
template <execution_instance Space, convertible_matrix Matrix>
auto to_hyb(Space const& space, Matrix const& a, hyb_options const& options = {});

struct bcsr_options {
  int block_size = 4;  ///< used if it is not a template argument; 1 to 64
  double most_growth = default_growth;
};
template <int BlockSize = 0, execution_instance Space, convertible_matrix Matrix>
auto to_bcsr(Space const& space, Matrix const& a, bcsr_options const& options = {});

struct dia_options {
  double most_growth = default_growth;
};
template <execution_instance Space, convertible_matrix Matrix>
auto to_dia(Space const& space, Matrix const& a, dia_options const& options = {});

struct rgcsr_options {
  int group_size = 0;       ///< rows of a group; 0: `tuning::rgcsr_group_size`, a warp on devices
  double budget = 1.5;      ///< bytes, as a multiple of those of the compressed rows
  double plain_fill = 0.4;  ///< rows keep their order if no more than so many artificial zeros an
                            ///< entry come of it
  int window = 1024;        ///< otherwise they are sorted by length within so many rows; a power of
                            ///< two up to 4096
  std::int64_t longest = 0;  ///< longer rows go to the tail; 0: if rows have to be sorted,
                             ///< those beyond `tuning::rgcsr_longest` do
};
/// Rows keep their order, if that costs little (`plain_fill`), or if `window` is 1 and the budget is
/// kept; otherwise they are sorted within windows, and what is too long goes to the tail. If that
/// takes more than the budget, if a quarter of the entries would be in the tail, or on devices if rows
/// are very long and too few for a thread each, all of them are: then the matrix is one in compressed
/// rows. If the budget is less than that takes,
/// std::length_error says so.
template <execution_instance Space, convertible_matrix Matrix>
auto to_rgcsr(Space const& space, Matrix const& a, rgcsr_options const& options = {});

/// Replaces the values of R by those of a matrix with the same pattern as the one that R was made
/// of, in place: asynchronous, nothing is allocated. Throws std::invalid_argument if the numbers of
/// rows, columns or entries differ; that the patterns agree is a precondition.
template <execution_instance Space, crs_like Matrix, class... Types>
void update_values(Space const& space, Matrix const& a, rgcsr_matrix<Types...> const& r);

/// Artificial zeros over entries of each group of R (0 for groups without entries); no elements if
/// all rows are in the tail.
template <execution_instance Space, class... Types>
auto group_fill(Space const& space, rgcsr_matrix<Types...> const& r);

}  // namespace araios

#include <araios/impl/convert_grouped.hpp>
#include <araios/impl/convert_sorted.hpp>

#include <araios/impl/convert_crs.hpp>
