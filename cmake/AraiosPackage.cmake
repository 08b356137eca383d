# find_package(Araios) from an installation and from the build tree.
include(CMakePackageConfigHelpers)
set(araios_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Araios)

install(TARGETS araios EXPORT AraiosTargets)
install(DIRECTORY core/include/araios backends/cuda/include/araios TYPE INCLUDE
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(FILES ${PROJECT_BINARY_DIR}/core/include/araios/config.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/araios)
install(EXPORT AraiosTargets NAMESPACE Araios:: DESTINATION ${araios_cmake_dir})
export(EXPORT AraiosTargets NAMESPACE Araios:: FILE ${PROJECT_BINARY_DIR}/AraiosTargets.cmake)

configure_package_config_file(cmake/AraiosConfig.cmake.in AraiosConfig.cmake
  INSTALL_DESTINATION ${araios_cmake_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(AraiosConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AraiosConfig.cmake ${PROJECT_BINARY_DIR}/AraiosConfigVersion.cmake
        DESTINATION ${araios_cmake_dir})
