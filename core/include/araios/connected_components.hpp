// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <araios/concepts.hpp>
#include <araios/impl/execution.hpp>
#include <araios/matrix/crs.hpp>

namespace araios {

/// Connected components: for each vertex the least number of a vertex that it is connected with,
/// itself included.
///
/// A: n x n, anything `crs_like` with a signed ordinal, taken as an undirected graph: an entry
/// (i, j) joins i and j whatever its value, explicit zeros included, and whether or not there is an
/// entry (j, i). Values are not read; self loops and duplicates do no harm, rows need not be
/// sorted.
/// Vertices form trees in which the one above has the lesser number; every entry hangs the root
/// over one of its ends below that over the other, and ways to a root are halved as they are gone.
/// Entries are dealt by the schedule that the shape of A asks for, so that one vertex with many of
/// them does not hold up the others.
/// Asynchronous: at most three kernels are enqueued on `space`; nothing is waited for.
/// The result is the same in every run. Memory: the result, one ordinal per vertex, and no more.
/// Throws std::invalid_argument, before anything is enqueued, if A is not square.
///
/// Source: Jaiganesh, Burtscher, A high-performance connected components implementation for GPUs,
/// HPDC 2018; Jayanti, Tarjan, Concurrent disjoint set union, Distributed Computing 34, 2021.
template <execution_instance Space, crs_like Matrix>
auto connected_components(Space const& space, Matrix const& a)
    -> Kokkos::View<typename crs_view_of<Matrix>::ordinal_type*,
                    typename impl::execution_space_of<Space>::memory_space>;

}  // namespace araios

#include <araios/impl/connected_components.hpp>
