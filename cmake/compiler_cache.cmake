# Compiles through ccache if it is installed, unless the user names another launcher or none (-D
# CMAKE_CXX_COMPILER_LAUNCHER=, or the variable of that name in the environment).

find_program(SORTLAB_CCACHE ccache)
mark_as_advanced(SORTLAB_CCACHE)
foreach(language CXX CUDA)
  set(launcher CMAKE_${language}_COMPILER_LAUNCHER)
  if(SORTLAB_CCACHE AND NOT DEFINED ${launcher} AND NOT DEFINED ENV{${launcher}})
    set(${launcher} ${SORTLAB_CCACHE})
  endif()
endforeach()
