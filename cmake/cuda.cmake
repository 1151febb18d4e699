# SORTLAB_CUDA decides about GPU code. Sets SORTLAB_CUDA_COMPILER, which is empty if there is to be none.
set(SORTLAB_CUDA_COMPILER "")
if(SORTLAB_CUDA STREQUAL "AUTO")
  # Without a GPU this code would take most of the time of a build, and never run.
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
  if(no_gpu)
    message(STATUS "sortlab: no GPU here: the CPU sorts alone. -DSORTLAB_CUDA=ON builds the GPU sorts, too.")
  endif()
endif()
if(SORTLAB_CUDA STREQUAL "AUTO" AND no_gpu OR NOT SORTLAB_CUDA)
  return()
endif()

include(cuda_architectures)
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  set(missing "sortlab: no CUDA compiler. `./run --cuda build` brings one, or install NVIDIA's CUDA toolkit "
              "and put nvcc on the PATH, or set CUDACXX.")
  if(SORTLAB_CUDA STREQUAL "AUTO")
    message(STATUS ${missing} " The CPU sorts alone are built.")
    return()
  endif()
  message(FATAL_ERROR ${missing})
endif()
enable_language(CUDA)
set(SORTLAB_CUDA_COMPILER "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know nvcc's
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
find_package(CUDAToolkit REQUIRED)  # CUPTI and NVTX too, where the toolkit has them
message(STATUS "sortlab: CUDA code for ${CMAKE_CUDA_ARCHITECTURES}")
