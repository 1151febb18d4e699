# CUDA: found, or one clear line. Sets SORTLAB_CUDA_COMPILER.
set(SORTLAB_CUDA_COMPILER "")
if(NOT SORTLAB_CPU_ONLY)
  include(cuda_architectures)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(SORTLAB_CUDA_COMPILER "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know nvcc's
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    find_package(CUDAToolkit REQUIRED)  # CUPTI and NVTX too, where the toolkit has them
    message(STATUS "sortlab: CUDA code for ${CMAKE_CUDA_ARCHITECTURES}")
  else()
    message(STATUS "sortlab: no CUDA compiler: a CPU-only build. `./run --cuda build` brings one, "
                   "or install NVIDIA's CUDA toolkit and put nvcc on the PATH.")
  endif()
endif()
