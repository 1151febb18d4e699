# What `cmake --install BUILD --component library` installs: libraries, headers, the package for
# find_package() and the one for pkg-config. The target uninstall removes them.
include(CMakePackageConfigHelpers)

foreach(kind ${SORTLAB_LIBRARY_KINDS})
  install(TARGETS sortlab_${kind} EXPORT sortlab-${kind} COMPONENT library)
  install(EXPORT sortlab-${kind} NAMESPACE sortlab:: COMPONENT library
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sortlab)
endforeach()
install(DIRECTORY ${sortlab_library_headers}/sortlab DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)

configure_package_config_file(sortlab-config.cmake.in sortlab-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sortlab)
# While the first number is 0, versions with the same second number are compatible.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(sortlab-config-version.cmake COMPATIBILITY ${compatibility})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sortlab-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/sortlab-config-version.cmake COMPONENT library
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sortlab)

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(sortlab.pc.in sortlab.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sortlab.pc COMPONENT library
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall VERBATIM
    COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)
endif()
