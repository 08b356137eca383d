// SPDX-License-Identifier: BSD-3-Clause
#include <araios/bfs.hpp>
#include <araios/connected_components.hpp>
#include <araios/pagerank.hpp>
#include <araios/sssp.hpp>
#include <limits>

#include "device.hpp"
#include "matrices.hpp"

namespace araios::bench {
namespace {

/// `algorithm(space, A)` returns a View with a value for each vertex.
template <class Value, class Algorithm>
class on_vertices : public candidate {
 public:
  on_vertices(inputs const& in, Algorithm const& algorithm)
      : a_(to_crs_matrix<Value, int, int>(space_, in.a)), algorithm_(algorithm) {}

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) values_ = algorithm_(space_, a_);
    space_.fence("araios-bench");
  }
  void discard() override { values_ = {}; }
  any_result result() const override {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values_);
    return vertex_result{{host.data(), host.data() + host.extent(0)}};
  }

 private:
  using matrix = device_matrix<Value>;
  device_space space_;
  matrix a_;
  Algorithm algorithm_;
  std::invoke_result_t<Algorithm, device_space const&, matrix const&> values_;
};

/// The implementation whose algorithm on Values is what `make_algorithm(in, Value)` returns.
template <class MakeAlgorithm>
implementation on_graph(char const* name, MakeAlgorithm make_algorithm) {
  return {name, "", [=](inputs const& in) {
            return with_scalar(in, [&]<class Value>(Value value) {
              auto const algorithm = make_algorithm(in, value);
              return std::unique_ptr<candidate>(
                  new on_vertices<Value, std::remove_const_t<decltype(algorithm)>>(in, algorithm));
            });
          }};
}

}  // namespace

implementations araios_graphs(std::string const& operation) {
  if (operation == "bfs")
    return {on_graph("araios",
                     [](inputs const& in, auto) {
                       return [source = in.source](auto const& space, auto const& a) {
                         return bfs(space, a, source).distance;
                       };
                     }),
            on_graph("araios_both_ways", [](inputs const& in, auto value) {
              auto const t =
                  to_crs_matrix<decltype(value), int, int>(device_space{}, transposed(in.a));
              return [t, source = in.source](auto const& space, auto const& a) {
                return bfs(space, a, t, source).distance;
              };
            })};
  if (operation == "sssp")
    return {on_graph("araios", [](inputs const& in, auto) {
      return [source = in.source](auto const& space, auto const& a) {
        return sssp(space, a, source).distance;
      };
    })};
  if (operation == "components")
    return {on_graph("araios", [](inputs const&, auto) {
      return [](auto const& space, auto const& a) { return connected_components(space, a); };
    })};
  return {on_graph("araios", [](inputs const&, auto value) {
    return [value](auto const& space, auto const& a) {
      constexpr double never = std::numeric_limits<double>::min();
      return pagerank<std::remove_const_t<decltype(value)>>(space, a,
                                                            {.damping = pagerank_damping,
                                                             .tolerance = never,
                                                             .max_iterations = pagerank_iterations})
          .ranks;
    };
  })};
}

}  // namespace araios::bench
