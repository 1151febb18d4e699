# Generates build_info.cpp: fixed facts at configure time, the git revision at every build.

get_property(SORTLAB_DEPENDENCIES GLOBAL PROPERTY sortlab_dependencies)
string(REPLACE ";" "\n" SORTLAB_DEPENDENCIES "${SORTLAB_DEPENDENCIES}")
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" SORTLAB_FLAGS)
configure_file(${PROJECT_SOURCE_DIR}/cmake/build_info.cpp.in ${PROJECT_BINARY_DIR}/build_info.cpp @ONLY)

set(SORTLAB_REVISION "unknown" CACHE STRING "The revision of sources that are no git checkout")
set(git_revision ${PROJECT_BINARY_DIR}/git_revision.hpp)
add_custom_target(sortlab_git_revision
  COMMAND ${CMAKE_COMMAND} -D output=${git_revision} -D source=${PROJECT_SOURCE_DIR}
          -D fallback=${SORTLAB_REVISION}
          -P ${PROJECT_SOURCE_DIR}/cmake/git_revision.cmake
  BYPRODUCTS ${git_revision}
  COMMENT "Asking git for the revision")
set_source_files_properties(${PROJECT_BINARY_DIR}/build_info.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # it changes often
target_sources(sortlab_harness PRIVATE ${PROJECT_BINARY_DIR}/build_info.cpp)
target_include_directories(sortlab_harness PRIVATE ${PROJECT_BINARY_DIR})
add_dependencies(sortlab_harness sortlab_git_revision)
