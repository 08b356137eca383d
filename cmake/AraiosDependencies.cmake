# Finds what Araios builds on: Kokkos (required), Kokkos Kernels and zlib (used where found).
# Sets ARAIOS_HAVE_KOKKOSKERNELS, ARAIOS_HAVE_ZLIB, ARAIOS_BACKENDS and ARAIOS_CUDA_ARCH.

set(araios_oldest_kokkos 4.6)
set(araios_first_bad_kokkos 6)

# A project above may have brought Kokkos already, installed or as a subdirectory.
if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos QUIET)
  if(NOT Kokkos_FOUND)
    message(FATAL_ERROR
      "Araios needs Kokkos ${araios_oldest_kokkos} or newer, and none was found. Point Kokkos_ROOT at "
      "an installed one, or prepare one from Debian packages: scripts/with-kokkos cmake ...")
  endif()
endif()
if(Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS araios_oldest_kokkos
                       OR NOT Kokkos_VERSION VERSION_LESS araios_first_bad_kokkos))
  message(FATAL_ERROR
    "Araios needs ${araios_oldest_kokkos} <= Kokkos < ${araios_first_bad_kokkos}, but found Kokkos "
    "${Kokkos_VERSION} in ${Kokkos_DIR}. Point Kokkos_ROOT at a fitting one, or prepare one from "
    "Debian packages: scripts/with-kokkos cmake ...")
endif()

# Where the Kokkos in use comes from; its sources if it is part of this build.
get_target_property(araios_kokkos_imported Kokkos::kokkos IMPORTED)
if(araios_kokkos_imported)
  file(REAL_PATH "${Kokkos_DIR}" araios_kokkos_place)
else()
  get_target_property(araios_kokkos_target Kokkos::kokkos ALIASED_TARGET)
  get_target_property(araios_kokkos_place ${araios_kokkos_target} SOURCE_DIR)
endif()

# Backends by Kokkos' own names, and the number of the one CUDA architecture.
set(ARAIOS_BACKENDS)
foreach(backend SERIAL OPENMP THREADS CUDA HIP SYCL)
  if(backend IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_${backend})
    list(APPEND ARAIOS_BACKENDS ${backend})
  endif()
endforeach()
set(ARAIOS_CUDA_ARCH)
if(CUDA IN_LIST ARAIOS_BACKENDS)
  if("${Kokkos_CUDA_ARCHITECTURES};${Kokkos_ARCH}" MATCHES "([0-9]+)")
    set(ARAIOS_CUDA_ARCH ${CMAKE_MATCH_1})
  endif()
endif()

# The folder of the Kokkos that an installed Kokkos Kernels was built with: beside it, or the hint
# that its own package file gives.
function(araios_kokkos_of_kernels result)
  if(EXISTS "${KokkosKernels_DIR}/../Kokkos/KokkosConfig.cmake")
    set(place "${KokkosKernels_DIR}/../Kokkos")
  else()
    file(READ "${KokkosKernels_DIR}/KokkosKernelsConfig.cmake" text)
    string(REGEX MATCH "find_dependency\\(Kokkos +HINTS +([^)]+)\\)" place "${text}")
    set(place "${CMAKE_MATCH_1}")
  endif()
  if(place AND EXISTS "${place}")
    file(REAL_PATH "${place}" place)
    set(${result} "${place}" PARENT_SCOPE)
  endif()
endfunction()

set(ARAIOS_HAVE_KOKKOSKERNELS OFF)
if(ARAIOS_ENABLE_KOKKOSKERNELS)
  if(NOT TARGET KokkosKernels::all_libs)
    find_package(KokkosKernels QUIET)
  endif()
  if(TARGET KokkosKernels::all_libs)
    set(ARAIOS_HAVE_KOKKOSKERNELS ON)
    if(KokkosKernels_FOUND)
      araios_kokkos_of_kernels(place)
      if(place AND NOT place STREQUAL araios_kokkos_place)
        message(FATAL_ERROR
          "Kokkos Kernels in ${KokkosKernels_DIR} was built with the Kokkos in ${place}, but Kokkos "
          "is taken from ${araios_kokkos_place}. Point Kokkos_ROOT and KokkosKernels_ROOT at one "
          "installation, or set ARAIOS_ENABLE_KOKKOSKERNELS=OFF.")
      endif()
    endif()
  elseif(NOT ARAIOS_ENABLE_KOKKOSKERNELS STREQUAL "AUTO")
    message(FATAL_ERROR
      "ARAIOS_ENABLE_KOKKOSKERNELS is ON, but Kokkos Kernels was not found; set KokkosKernels_ROOT.")
  endif()
endif()

find_package(ZLIB QUIET)
set(ARAIOS_HAVE_ZLIB ${ZLIB_FOUND})

message(STATUS
  "Araios ${PROJECT_VERSION}: Kokkos ${Kokkos_VERSION} from ${araios_kokkos_place}, backends "
  "${ARAIOS_BACKENDS}, Kokkos Kernels ${ARAIOS_HAVE_KOKKOSKERNELS}, zlib ${ARAIOS_HAVE_ZLIB}")
