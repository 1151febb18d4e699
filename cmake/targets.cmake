# Targets for those who work on sortlab: format, format_check, peers, peer_<name>, deps.

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(venv_python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
if(NOT EXISTS ${venv_python})
  set(venv_python python3)
endif()

# The layout of the sources. Versions of clang-format differ in their results, so that everyone uses
# this one: the system's, or the one that `./run test` installs in .venv/.
function(sortlab_is_our_formatter result tool)
  execute_process(COMMAND ${tool} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "version 14\\.")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
find_program(SORTLAB_CLANG_FORMAT NAMES clang-format-14 clang-format
  HINTS ${PROJECT_SOURCE_DIR}/.venv/bin VALIDATOR sortlab_is_our_formatter)
mark_as_advanced(SORTLAB_CLANG_FORMAT)

# sortlab_format_target(<name> <flag>...)
function(sortlab_format_target name)
  list(JOIN ARGN " " flags)
  set(command "git ls-files -co --exclude-standard '*.[ch]' '*.[ch]pp' '*.cu' '*.cuh' '*.js' |\
 xargs -n 64 -P 2 '${SORTLAB_CLANG_FORMAT}' --style=file ${flags}")
  if(NOT SORTLAB_CLANG_FORMAT)
    set(command "echo 'clang-format 14 is missing: ./run test installs it in .venv/; then configure again'; false")
  endif()
  add_custom_target(${name} COMMAND sh -c "${command}" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "" VERBATIM)
endfunction()
sortlab_format_target(format -i)
sortlab_format_target(format_check --dry-run --Werror)

# Other projects' sorts as plug-ins, peers/<name>.so in the build folder (docs/peers.md). Each is a
# separate build, so that one that fails stops no other (`ninja -k 0 peers`).
add_custom_target(peers)
file(STRINGS ${PROJECT_SOURCE_DIR}/peers/CMakeLists.txt recipes REGEX "^sortlab_peer_of_")
foreach(recipe ${recipes})
  string(REGEX REPLACE "^[a-z_]+\\(([a-z0-9_]+).*" "\\1" name "${recipe}")
  set(requirements ${PROJECT_SOURCE_DIR}/peers/${name}-requirements.txt)
  set(folder ${PROJECT_BINARY_DIR}/peers/${name})
  set(cuda)
  if(EXISTS ${PROJECT_SOURCE_DIR}/peers/${name}.cu)
    if(NOT SORTLAB_CUDA_COMPILER)
      continue()
    endif()
    set(cuda -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER})
  endif()
  set(wheel)
  if(EXISTS ${requirements})
    set(wheel ${folder}/wheel/installed)
    add_custom_command(OUTPUT ${wheel}
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}/wheel
      COMMAND ${venv_python} -m pip install -q --disable-pip-version-check --no-deps --target ${folder}/wheel
        -r ${requirements}
      COMMAND ${CMAKE_COMMAND} -E touch ${wheel}
      DEPENDS ${requirements} VERBATIM)
  endif()
  add_custom_target(peer_${name}
    COMMAND ${CMAKE_COMMAND} --fresh -G ${CMAKE_GENERATOR} -S ${PROJECT_SOURCE_DIR}/peers -B ${folder}
      -DPEER=${name} ${cuda}
    COMMAND ${CMAKE_COMMAND} --build ${folder}
    DEPENDS ${wheel} VERBATIM)
  add_dependencies(peers peer_${name})
endforeach()

# The libraries for a machine that has neither root nor network.
add_custom_target(deps COMMAND ${PROJECT_SOURCE_DIR}/cmake/deps.sh ${PROJECT_SOURCE_DIR}/build/deps
  USES_TERMINAL VERBATIM)
