# Headers for programs outside of this tree. Files of gpu/ and common/ include each other by their paths
# below the root; as "common/utils.hpp" may be a user's own file, the copies include
# "sortlab/detail/common/utils.hpp" instead.

# sortlab_public_headers(<folder> <header>...): writes to the folder the headers of library/include, and all
# that they include of gpu/ and common/. Runs again when one of them changes.
function(sortlab_public_headers folder)
  set(waiting ${ARGN})
  list(TRANSFORM waiting PREPEND library/include/)
  set(done)
  while(waiting)
    list(POP_FRONT waiting file)
    if(file IN_LIST done)
      continue()
    endif()
    list(APPEND done ${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    string(REGEX MATCHALL "#include \"(gpu|common)/[^\"]+\"" own "${text}")
    list(TRANSFORM own REPLACE "#include \"(.+)\"" "\\1")
    string(REGEX MATCHALL "#include <sortlab/[^>]+>" others "${text}")
    list(TRANSFORM others REPLACE "#include <(.+)>" "library/include/\\1")
    list(APPEND waiting ${own} ${others})
    string(REGEX REPLACE "#include \"(gpu|common)/" "#include \"sortlab/detail/\\1/" text "${text}")
    if(file MATCHES "^library/include/(.+)")
      set(copy ${CMAKE_MATCH_1})
    else()
      set(copy sortlab/detail/${file})
    endif()
    file(CONFIGURE OUTPUT ${folder}/${copy} CONTENT "${text}" @ONLY)
  endwhile()
endfunction()
