# The libraries. Those of the harness are required; a baseline whose library is missing is left out.
# One of SORTLAB_WITHOUT is treated as missing.
foreach(package ${SORTLAB_WITHOUT})
  set(CMAKE_DISABLE_FIND_PACKAGE_${package} TRUE)
endforeach()

find_package(OpenMP REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(benchmark REQUIRED)
if(SORTLAB_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# sortlab_dependency(<name> <version or ""> <used for> <package>): for `sortlab doctor` and run.json.
set_property(GLOBAL PROPERTY sortlab_dependencies "")
function(sortlab_dependency name version used_for package)
  set_property(GLOBAL APPEND PROPERTY sortlab_dependencies
    "  {\"${name}\", \"${version}\", \"${used_for}\", \"${package}\"},")
endfunction()

# sortlab_needs(<found> <target> <package> <id>...): variants that can't be built without a library.
function(sortlab_needs found target package)
  foreach(id ${ARGN})
    if(found)
      set_property(GLOBAL PROPERTY sortlab_library_of_${id} ${target})
    else()
      set_property(GLOBAL PROPERTY sortlab_missing_for_${id} "its library is missing (${package})")
    endif()
  endforeach()
endfunction()

sortlab_dependency(fmt "${fmt_VERSION}" "text" libfmt-dev)
sortlab_dependency(CLI11 "${CLI11_VERSION}" "command line" libcli11-dev)
sortlab_dependency(json "${nlohmann_json_VERSION}" "JSON" nlohmann-json3-dev)
sortlab_dependency(benchmark "${benchmark_VERSION}" "Google Benchmark: sortlab_benchmark" libbenchmark-dev)
sortlab_dependency(GoogleTest "${GTest_VERSION}" "tests" libgtest-dev)
sortlab_dependency(OpenMP "${OpenMP_CXX_VERSION}" "parallel variants" "")

find_package(TBB QUIET)
sortlab_dependency(oneTBB "${TBB_VERSION}" "cpu/std_sort/parallel, cpu/baselines/tbb_parallel_sort"
  libtbb-dev)
sortlab_needs("${TBB_FOUND}" TBB::tbb libtbb-dev cpu/baselines/tbb_parallel_sort)
if(TBB_FOUND)  # std_sort/parallel can do without
  set_property(GLOBAL PROPERTY sortlab_library_of_cpu/std_sort/parallel TBB::tbb)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/cpu/std_sort/parallel.cpp APPEND PROPERTY
    COMPILE_DEFINITIONS SORTLAB_HAVE_TBB)
endif()

find_package(Boost QUIET)
sortlab_dependency(Boost "${Boost_VERSION_STRING}" "cpu/baselines/boost_*" libboost-dev)
sortlab_needs("${Boost_FOUND}" Boost::headers libboost-dev
  cpu/baselines/boost_pdqsort cpu/baselines/boost_spreadsort
  cpu/baselines/boost_block_indirect_sort cpu/baselines/boost_parallel_stable_sort)

find_package(hwy QUIET)
sortlab_dependency(Highway "${hwy_VERSION}" "cpu/baselines/vqsort" libhwy-dev)
sortlab_needs("${hwy_FOUND}" hwy::hwy_contrib libhwy-dev cpu/baselines/vqsort)

# Headers only. They need libatomic, for operations on 16 bytes, and OpenMP's threads.
find_path(IPS4O_INCLUDE_DIR ips4o.hpp)
find_library(ATOMIC_LIBRARY NAMES atomic libatomic.so.1
  PATHS ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
if(IPS4O_INCLUDE_DIR AND ATOMIC_LIBRARY AND NOT CMAKE_DISABLE_FIND_PACKAGE_IPS4O)
  set(IPS4O_FOUND TRUE)
  set(IPS4O_VERSION "headers")
  add_library(ips4o INTERFACE)
  target_include_directories(ips4o SYSTEM INTERFACE ${IPS4O_INCLUDE_DIR})
  target_link_libraries(ips4o INTERFACE ${ATOMIC_LIBRARY} OpenMP::OpenMP_CXX)
endif()
sortlab_dependency(IPS4o "${IPS4O_VERSION}" "cpu/baselines/ips4o_*" libips4o-dev)
sortlab_needs("${IPS4O_FOUND}" ips4o libips4o-dev
  cpu/baselines/ips4o_sort cpu/baselines/ips4o_parallel_sort)

# Results are packed with xz. Without the library they must be unpacked before they are read.
find_package(LibLZMA QUIET)
sortlab_dependency(liblzma "${LIBLZMA_VERSION_STRING}" "reading results packed as .csv.xz"
  liblzma-dev)

# Sorts over several processes. They are left out under sanitizers, because MPI's own code has faults
# there; tests run those sorts without MPI. They are left out when cross-compiling, because the other
# machine's mpirun is not here.
if(NOT SORTLAB_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(MPI_CXX_SKIP_MPICXX TRUE)  # skips the C++ interface of MPI 2, which MPI 3 removed
  find_package(MPI 3 QUIET COMPONENTS CXX)
endif()
sortlab_dependency(MPI "${MPI_CXX_VERSION}" "cpu/ranks/*, with mpirun" "libopenmpi-dev openmpi-bin")

# libstdc++'s parallel mode needs GCC's own OpenMP.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(has_gnu_parallel TRUE)
endif()
sortlab_needs("${has_gnu_parallel}" OpenMP::OpenMP_CXX g++ cpu/baselines/gnu_parallel_sort)
