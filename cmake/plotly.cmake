# plotly.js draws the charts of `sortlab report` and is embedded in the program. It is searched for in
# this order: -DSORTLAB_PLOTLY_JS=FILE; share/plotly/ below a prefix (as cmake/deps.sh gathers it); a
# Python that has the package plotly; with -DSORTLAB_DOWNLOAD_PLOTLY=ON, which `./run` gives, PyPI,
# once per build folder. Without it everything else still builds.

set(SORTLAB_PLOTLY_JS "" CACHE FILEPATH "plotly.min.js, for `sortlab report`")
option(SORTLAB_DOWNLOAD_PLOTLY "Download plotly.js from PyPI where it is not found" OFF)
set(plotly_in_package plotly/package_data/plotly.min.js)
find_package(Python3 QUIET COMPONENTS Interpreter)
file(STRINGS ${PROJECT_SOURCE_DIR}/plots/report/requirements.txt plotly_requirement REGEX "^plotly==")

# Sets `result` to the package's file if this Python has it; otherwise leaves it unchanged.
function(sortlab_find_plotly_of python result)
  if(NOT EXISTS "${python}")
    return()
  endif()
  execute_process(
    COMMAND ${python} -c "import sysconfig; print(sysconfig.get_path('purelib'))"
    OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${packages}/${plotly_in_package}")
    set(${result} ${packages}/${plotly_in_package} PARENT_SCOPE)
  endif()
endfunction()

# Extracts the one file from the wheel, without installing it.
function(sortlab_download_plotly python result)
  set(folder ${PROJECT_BINARY_DIR}/plotly)
  if(NOT EXISTS ${folder}/tried AND EXISTS "${python}")
    message(STATUS "sortlab: downloading ${plotly_requirement}, for the report")
    execute_process(
      COMMAND ${python} -m pip --disable-pip-version-check download --quiet --no-deps
        --retries 0 --timeout 20 --dest ${folder} ${plotly_requirement}
      OUTPUT_QUIET ERROR_QUIET)
    file(GLOB wheel ${folder}/plotly-*.whl)
    if(wheel)
      file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${folder} PATTERNS ${plotly_in_package})
      file(REMOVE ${wheel})
    endif()
    file(WRITE ${folder}/tried "Delete this file, and the next configure tries again.\n")
  endif()
  if(EXISTS ${folder}/${plotly_in_package})
    set(${result} ${folder}/${plotly_in_package} PARENT_SCOPE)
  endif()
endfunction()

set(plotly_js ${SORTLAB_PLOTLY_JS})
set(plotly_pythons ${PROJECT_SOURCE_DIR}/.venv/bin/python ${Python3_EXECUTABLE})
if(NOT plotly_js)
  find_file(plotly_of_prefix plotly.min.js
    HINTS ${CMAKE_PREFIX_PATH} ENV CMAKE_PREFIX_PATH PATH_SUFFIXES share/plotly NO_CACHE)
  if(plotly_of_prefix)
    set(plotly_js ${plotly_of_prefix})
  endif()
endif()
foreach(python ${plotly_pythons})
  if(NOT plotly_js)
    sortlab_find_plotly_of(${python} plotly_js)
  endif()
endforeach()
foreach(python ${plotly_pythons})
  if(SORTLAB_DOWNLOAD_PLOTLY AND NOT plotly_js)
    sortlab_download_plotly(${python} plotly_js)
  endif()
endforeach()

set(SORTLAB_PLOTLY_FILE "")
set(plotly_version "")
if(plotly_js AND EXISTS "${plotly_js}")
  file(READ ${plotly_js} plotly_head LIMIT 200)
  string(REGEX MATCH "plotly\\.js v([0-9.]+)" plotly_match "${plotly_head}")
  set(plotly_version "${CMAKE_MATCH_1}")
  set(SORTLAB_PLOTLY_FILE plots/report/plotly.min.js=${plotly_js})
else()
  message(STATUS "sortlab: no plotly.js, so no `sortlab report`: `pip install ${plotly_requirement}`, "
                 "-DSORTLAB_DOWNLOAD_PLOTLY=ON or -DSORTLAB_PLOTLY_JS=FILE")
endif()
sortlab_dependency(plotly.js "${plotly_version}"
  "sortlab report (pip install ${plotly_requirement}, then configure again)" "")
