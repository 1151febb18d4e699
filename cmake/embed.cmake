# Embeds files in a program: generates the definition of common/choose/embedded.hpp.

# sortlab_embed(<target> <path>...): paths below the root, by which the program asks for them; or
# path=file for one that lies elsewhere.
function(sortlab_embed target)
  set(blobs "")
  set(table "")
  set(files)
  set(number 0)
  foreach(path ${ARGN})
    set(file ${PROJECT_SOURCE_DIR}/${path})
    if(path MATCHES "^([^=]+)=(.+)$")
      set(path ${CMAKE_MATCH_1})
      set(file ${CMAKE_MATCH_2})
    endif()
    list(APPEND files ${file})
    # Global, but hidden: on Arm, the addresses of local symbols that are declared `extern` come out wrong.
    string(APPEND blobs "asm(\".section .rodata\\n\"\n"
      "    \".globl ${target}_blob_${number}, ${target}_blob_end_${number}\\n\"\n"
      "    \".hidden ${target}_blob_${number}, ${target}_blob_end_${number}\\n\"\n"
      "    \"${target}_blob_${number}: .incbin \\\"${file}\\\"\\n\"\n"
      "    \"${target}_blob_end_${number}: .byte 0\\n\"\n    \".text\\n\");\n"
      "extern \"C\" [[gnu::visibility(\"hidden\")]] const char ${target}_blob_${number}[], ${target}_blob_end_${number}[];\n")
    string(APPEND table "      {\"${path}\", {${target}_blob_${number}, "
      "static_cast<std::size_t>(${target}_blob_end_${number} - ${target}_blob_${number})}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(generated ${PROJECT_BINARY_DIR}/embedded_files.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[
#include <cstddef>

#include "common/choose/embedded.hpp"

@blobs@
namespace sortlab {
const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> files = {
@table@  };
  return files;
}
}  // namespace sortlab
]])
  # Unity builds ignore OBJECT_DEPENDS: a changed file would not be embedded again.
  set_source_files_properties(${generated} PROPERTIES OBJECT_DEPENDS "${files}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${generated})
endfunction()
