# Builds with sanitizers: the presets asan and tsan.

set(SORTLAB_SANITIZE "" CACHE STRING "thread, or address,undefined or one of these two")

if(SORTLAB_SANITIZE)
  target_compile_definitions(sortlab_flags INTERFACE SORTLAB_SANITIZED)
  if(SORTLAB_SANITIZE STREQUAL "thread")
    file(GLOB sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS cpu/*/*.cpp)
    list(FILTER sources EXCLUDE REGEX "^cpu/ranks/")
    foreach(source ${sources})
      file(STRINGS ${source} parallel REGEX "\\.parallel = true")
      if(NOT parallel)
        string(REGEX REPLACE "\\.cpp$" "" id ${source})
        set_property(GLOBAL PROPERTY sortlab_missing_for_${id} "it has one thread, and so no race")
      endif()
    endforeach()
    # No guard pages: AddressSanitizer would map shadow memory for them, which takes ten times as long
    # as the buffer itself, and it finds the same faults without them.
    target_compile_definitions(sortlab_flags INTERFACE SORTLAB_SANITIZE_THREAD)
  endif()
  target_compile_options(sortlab_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SORTLAB_SANITIZE} -fno-sanitize-recover=all
                              -fno-omit-frame-pointer>)
  if(SORTLAB_SANITIZE MATCHES address)  # which finds the same faults in less time
    target_compile_options(sortlab_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size>)
  endif()
  if(SORTLAB_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # It would find calls by a pointer to a function of another type. The code casts no such pointer, apart from
    # dlsym()'s, whose functions are not checked. With it Clang keeps a copy of each inlined function, so that a unit of
    # SIMD kernels takes twice as long to compile.
    target_compile_options(sortlab_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=function>)
  endif()
  # Where no pointer is cast (tests/sources/architecture_test.py), all are aligned. The checks would be a third of the code.
  target_compile_options(sortlab_flags INTERFACE
    $<$<BOOL:$<TARGET_PROPERTY:SORTLAB_CASTS_NO_POINTERS>>:-fno-sanitize=alignment>)
  target_link_options(sortlab_flags INTERFACE -fsanitize=${SORTLAB_SANITIZE})
endif()

# The presets compile at -O0: optimizing the kernels with AddressSanitizer takes longer than it saves
# in the tests. This function compiles code at -O1 where it saves more: the harness, which makes and
# checks the inputs, and the textbook sorts (bitonic/parallel's tests: 113 s at -O0, 13 s at -O1, two
# tests at a time, Clang 14). ThreadSanitizer adds less code, so all of the suite's sorts are compiled
# at -O1.
function(sortlab_optimize_sanitized)
  if(NOT SORTLAB_SANITIZE)
    return()
  endif()
  target_compile_options(sortlab_harness_busy PRIVATE -O1)
  if(SORTLAB_SANITIZE MATCHES address)  # whose fuzzers run all of the harness
    target_compile_options(sortlab_harness PRIVATE -O1)
  endif()
  set_target_properties(sortlab_choose sortlab_tool PROPERTIES SORTLAB_CASTS_NO_POINTERS ON)
  set(rungs naive optimized parallel)
  if(SORTLAB_SANITIZE STREQUAL "thread")
    set(rungs * */*)
  endif()
  list(TRANSFORM rungs REPLACE "(.+)" "cpu/*/\\1.cpp" OUTPUT_VARIABLE globs)
  file(GLOB sources CONFIGURE_DEPENDS ${globs})
  list(FILTER sources EXCLUDE REGEX "/(baselines|std_sort)/")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -O1)
endfunction()

# sortlab_cover_for_fuzzers(<library>...): instruments libraries for the fuzzers of tests/fuzz, which
# see what code an input reaches. Casts of floating-point numbers that don't fit count as faults.
function(sortlab_cover_for_fuzzers)
  if(SORTLAB_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    foreach(library ${ARGN})
      target_compile_options(${library} PRIVATE
        -fsanitize=fuzzer-no-link,float-cast-overflow -fno-sanitize-recover=float-cast-overflow)
    endforeach()
  endif()
endfunction()
