# The architectures to compile CUDA code for, unless the user sets them (-D
# CMAKE_CUDA_ARCHITECTURES=..., or CUDAARCHS in the environment: 90, "80;90", all-major, all): that of
# the GPUs in this machine, or 90 without one.

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(architectures 90)
  if(NOT failed AND capabilities MATCHES "^[0-9]+\\.[0-9]+(\n[0-9]+\\.[0-9]+)*$")
    string(REPLACE "." "" architectures "${capabilities}")
    string(REPLACE "\n" ";" architectures "${architectures}")
    list(REMOVE_DUPLICATES architectures)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "Architectures to compile CUDA code for")
endif()
