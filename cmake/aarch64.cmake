# A build for 64-bit Arm on another machine: Debian's cross compiler, the libraries that
# cmake/deps.sh gathers, and QEMU's user-mode emulation for the tests.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(SORTLAB_CROSS_LIBRARIES ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-libraries
  CACHE PATH "Where the libraries for aarch64 are")
set(CMAKE_FIND_ROOT_PATH ${SORTLAB_CROSS_LIBRARIES} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
