# `cpack --config BUILD/CPackConfig.cmake` makes Debian packages and tarballs, one for each component that
# this build has: the library, the program and the plug-in header. docs/library.md is for their users.
include(GNUInstallDirs)

set(CPACK_PACKAGE_VENDOR "The sortlab authors")
set(CPACK_PACKAGE_CONTACT ${CPACK_PACKAGE_VENDOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)  # a package for each
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)       # what the files link, by dpkg-shlibdeps
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # what packages that link this library depend on

# sortlab_package(<component> <name> <section> <summary> [text]): the names of a component's package.
function(sortlab_package component name section summary)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} RENAME copyright
    COMPONENT ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_ARCHIVE_${upper}_FILE_NAME
    ${name}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR} PARENT_SCOPE)
endfunction()

sortlab_package(library libsortlab-dev libdevel "Fast sorts for C++ and C: libraries and headers")
if(SORTLAB_BUILD_TOOL)
  sortlab_package(program sortlab science "Compares sorts: runs, verifies and measures them")
  sortlab_package(plugin sortlab-plugin-dev libdevel "Header for plug-ins of sortlab: sorts of one's own")
endif()
set(CPACK_DEBIAN_PLUGIN_PACKAGE_ARCHITECTURE all)

include(CPack)
