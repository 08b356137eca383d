// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <araios/concepts.hpp>
#include <araios/impl/execution.hpp>
#include <araios/matrix/crs.hpp>

namespace araios {

struct pagerank_options {
  double damping = 0.85;     ///< the share of its rank that a vertex passes on along its edges
  double tolerance = 1e-6;   ///< iterations end when the ranks change by no more, in sum
  int max_iterations = 100;  ///< or after so many
};

/// Ranks of the vertices, and how they were come by.
template <class Rank, class MemorySpace>
struct pagerank_result {
  Kokkos::View<Rank*, MemorySpace> ranks;
  int iterations = 0;
  double difference = 0.0;  ///< sum of |change of a rank| in the last iteration
  bool converged = false;   ///< difference <= tolerance
};

/// PageRank: the ranks r >= 0 with sum 1 for which, with damping d and n vertices,
///
///   r(j) = (1 - d) / n + d * (sum of r(i) / e(i) over the edges i -> j
///                             + sum of r(i) / n over the vertices i with e(i) = 0),
///
/// where e(i) is the number of edges that leave i: a vertex without any spreads its rank evenly.
///
/// A: n x n, anything `crs_like` with a signed ordinal; an entry (i, j) is an edge i -> j whatever
/// its value, explicit zeros included, and values are not read. Duplicates are edges of their own:
/// one that is there twice passes on two shares. Self loops are edges like others, rows need not be
/// sorted. `Rank` is double or float.
/// Starts from equal ranks and iterates the formula. The result differs from the solution by at
/// most d / (1 - d) times the last difference, as a sum of absolute values and but for rounding:
/// sums are formed in `Rank`, and in float differences may stay above 1e-7 or so for ever. To end
/// without convergence is no error: the result says so.
///
/// An iteration is a product with the transpose of A, whose values are the shares d / e(i): ranks
/// are pulled, since to push them along the rows of A would take an atomic addition for every edge.
/// The transpose is formed once, which takes as long as five to twelve iterations (rmat:20:8, on
/// Serial and on two threads of OpenMP, where pushing took three times as long as pulling).
/// Waits for `space` in every iteration, for the difference, and while the product is planned.
/// Repeated runs may differ in the last bits on parallel backends, and end an iteration apart: in
/// which order the edges into a vertex are added up is not fixed.
/// Memory: a rank per vertex, the result; while it runs another, an offset per vertex, an ordinal
/// and a rank per edge, and what a `spmv_plan` takes.
/// Throws std::invalid_argument, before anything is enqueued, if A is not square, if not
/// 0 <= damping < 1, if not tolerance > 0, or if max_iterations < 1.
///
/// Source: Brin, Page, The anatomy of a large-scale hypertextual web search engine, WWW 1998.
template <class Rank = double, execution_instance Space, crs_like Matrix>
auto pagerank(Space const& space, Matrix const& a, pagerank_options const& options = {})
    -> pagerank_result<Rank, typename impl::execution_space_of<Space>::memory_space>;

}  // namespace araios

#include <araios/impl/pagerank.hpp>
