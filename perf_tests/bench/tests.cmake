# Tests of araios-bench; included from perf_tests/CMakeLists.txt if ARAIOS_ENABLE_TESTS is on.
find_package(GTest REQUIRED)
include(GoogleTest)

# The comparison with the reference must see what is wrong.
add_executable(test_bench_verify
  ${CMAKE_CURRENT_LIST_DIR}/../../unit_tests/bench/test_verify.cpp
  ${CMAKE_CURRENT_LIST_DIR}/verify.cpp ${CMAKE_CURRENT_LIST_DIR}/graph_reference.cpp)
target_include_directories(test_bench_verify PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_link_libraries(test_bench_verify PRIVATE Araios::araios GTest::gtest_main)
araios_private_flags(test_bench_verify)
gtest_discover_tests(test_bench_verify DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)

# The command line: exit codes, messages, the JSON file.
add_test(NAME bench_cli
  COMMAND ${CMAKE_COMMAND} -DBENCH=$<TARGET_FILE:araios-bench> -DVERSION=${PROJECT_VERSION}
          -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/bench_cli
          -P ${CMAKE_CURRENT_LIST_DIR}/../../unit_tests/bench/test_cli.cmake)
set_tests_properties(bench_cli PROPERTIES TIMEOUT 600 PROCESSORS 2 ENVIRONMENT OMP_NUM_THREADS=2)
