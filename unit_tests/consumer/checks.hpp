// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// What the consumer calls: one function for each header, all in small numbers that can be checked
/// by hand.
namespace consumer {

/// Counts a check and, if it does not hold, says which.
void expect(bool holds, std::string const& what);

/// Does f() throw an `Exception`?
template <class Exception, class F>
bool throws(F const& f) {
  try {
    f();
  } catch (Exception const&) {
    return true;
  }
  return false;
}

// files.cpp, which needs no Kokkos
void version();
void gallery();
void host_matrices();
void matrix_market();
void compressed_files();

// matrices.cpp
void crs();
void own_matrix_types();
void row_statistics();
void schedules();
void choice_of_schedules();
void tuning();

// load_balance.cpp
void load_balance();
void ranges();
void formats();

// storage.cpp
void storage_formats();

// vectors.cpp
void spmv();
void spmv_plan();
void spmm();

// spgemm.cpp
void spgemm();
void spgemm_plan();
void spgemm_options();
void semirings();
void masked_spgemm();
void spgemm_add();
void galerkin();

// graphs.cpp
void bfs();
void sssp();
void connected_components();
void pagerank();

// kokkos_kernels.cpp, where Kokkos Kernels is there
void kokkos_kernels();

}  // namespace consumer
