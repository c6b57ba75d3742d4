# Toolchain file for AArch64 Linux by Debian's cross compilers (gcc-aarch64-linux-gnu):
# cmake -B DIR -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -DGPUCC_EXECUTABLE=/usr/bin/gpucc
# Libraries are those of Debian's architecture arm64, and what CMAKE_PREFIX_PATH names; what is built runs under
# qemu-user's emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
