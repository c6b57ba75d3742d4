# Debian packages by cpack, one for each component of Install.cmake.
#     cmake --preset package && cmake --build build-package && (cd build-package && cpack)
# As for Debian's own tools, DEBFULLNAME and DEBEMAIL say who makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpucc)
set(CPACK_PACKAGE_VENDOR gpucc)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL gpucc libgpucc0 libgpucc-dev libgpucc-compiler0 libgpucc-compiler-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_GPUCC_PACKAGE_NAME gpucc)
set(CPACK_DEBIAN_GPUCC_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_GPUCC_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_GPUCC_PACKAGE_RECOMMENDS "libgpucc-dev")
set(CPACK_DEBIAN_GPUCC_DESCRIPTION "compiler of C functions for NVIDIA GPUs and all cores of the CPU
gpucc turns C functions into NumPy-style universal functions and GPU
kernels, ahead of time: it makes PTX, native code, a manifest and a typed
C header of annotated plain C. It needs no CUDA Toolkit.")

set(CPACK_DEBIAN_LIBGPUCC0_PACKAGE_NAME libgpucc0)
set(CPACK_DEBIAN_LIBGPUCC0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBGPUCC0_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBGPUCC0_DESCRIPTION "runtime of programs made by gpucc
libgpucc loads what the compiler gpucc made, holds arrays, calls universal
functions and launches kernels, on a CUDA GPU or on the CPU. It opens the
CUDA driver where there is one, and needs nothing else.")

set(CPACK_DEBIAN_LIBGPUCC-DEV_PACKAGE_NAME libgpucc-dev)
set(CPACK_DEBIAN_LIBGPUCC-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBGPUCC-DEV_PACKAGE_DEPENDS "libgpucc0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_LIBGPUCC-DEV_PACKAGE_SUGGESTS gpucc)
set(CPACK_DEBIAN_LIBGPUCC-DEV_DESCRIPTION "runtime of programs made by gpucc, files for building
The headers of the language and of the runtime libgpucc, its static library,
and what CMake and pkg-config read.")

set(CPACK_DEBIAN_LIBGPUCC-COMPILER0_PACKAGE_NAME libgpucc-compiler0)
set(CPACK_DEBIAN_LIBGPUCC-COMPILER0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBGPUCC-COMPILER0_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBGPUCC-COMPILER0_DESCRIPTION "compiler gpucc as a library
libgpucc-compiler makes PTX, native code and manifests of annotated C while
a program runs, in its own process. libgpucc opens it when a program asks
for that.")

set(CPACK_DEBIAN_LIBGPUCC-COMPILER-DEV_PACKAGE_NAME libgpucc-compiler-dev)
set(CPACK_DEBIAN_LIBGPUCC-COMPILER-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBGPUCC-COMPILER-DEV_PACKAGE_DEPENDS
    "libgpucc-compiler0 (= ${PROJECT_VERSION}-1), libgpucc-dev (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_LIBGPUCC-COMPILER-DEV_DESCRIPTION "compiler gpucc as a library, files for building
What the linker, CMake and pkg-config read of libgpucc-compiler, whose header
is in libgpucc-dev.")

# Files of the libraries' packages for dpkg-shlibdeps and ldconfig, which programs that link them need.
foreach(library IN ITEMS libgpucc libgpucc-compiler)
    string(TOUPPER ${library}0 component)
    set(control ${CMAKE_CURRENT_BINARY_DIR}/debian/${library})
    file(WRITE ${control}/shlibs "${library} 0 ${library}0 (>= ${PROJECT_VERSION})\n")
    file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)
endforeach()

# Common parts of every package besides its files.
set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(maintainer STREQUAL " <>")
    cmake_host_system_information(RESULT host QUERY FQDN)
    set(maintainer "Unknown <unknown@${host}>")
endif()
set(CPACK_PACKAGE_CONTACT "${maintainer}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/changelog.in debian/changelog.Debian @ONLY)
foreach(package IN LISTS CPACK_COMPONENTS_ALL)
    install(FILES cmake/debian/copyright ${CMAKE_CURRENT_BINARY_DIR}/debian/changelog.Debian
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${package} EXCLUDE_FROM_ALL)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/compress.cmake)
include(CPack)
