# Writes the facts that the source tree's variants declare about themselves. Run at build time, by
#   cmake -D ROOT=<source tree> -D OUT=<file> -P catalogue.cmake
#
# A CPU-only build contains no GPU sorts but reads measurements of them; this file describes them. If
# a build contains a variant, the variant's own Info counts (tests/sorts/registry_test.cpp compares).
cmake_minimum_required(VERSION 3.25)
file(GLOB sources RELATIVE ${ROOT} ${ROOT}/cpu/*/*.cpp ${ROOT}/gpu/*/*.cu)
list(SORT sources)
set(entries)
foreach(source ${sources})
  file(READ ${ROOT}/${source} text)
  set(after "")
  if(text MATCHES "\\.after =[ \n]*\"([^\"]*)\"")
    set(after ${CMAKE_MATCH_1})
  endif()
  set(candidate false)
  if(text MATCHES "\\.candidate =")
    set(candidate true)
  endif()
  string(REGEX REPLACE "\\.[a-z]+$" "" id ${source})
  list(APPEND entries "  {\"id\": \"${id}\", \"after\": \"${after}\", \"candidate\": ${candidate}}")
endforeach()
list(JOIN entries ",\n" entries)
file(CONFIGURE OUTPUT ${OUT} CONTENT "[\n@entries@\n]\n" @ONLY)
