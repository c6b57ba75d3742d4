# link_llvm_inside(TARGET): LLVM's archives inside a program or library, with the three targets that gpucc compiles for, in
# place of libLLVM.so.  Loading and relocating that takes half as long as a compilation.
#
# libclang.so, of which there is no archive, is linked with libLLVM.so.  Its references to LLVM bind to the symbols of the
# target, and a library of that name and version without code, beside the target, satisfies the loader.
execute_process(COMMAND ${CMAKE_NM} -D -u ${LIBCLANG} OUTPUT_VARIABLE references COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[A-Za-z0-9_]+@LLVM_[0-9.]+" references "${references}")
execute_process(COMMAND ${CMAKE_READELF} -d ${LIBCLANG} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "libLLVM[^]]*" LLVM_NAME "${needed}")
find_library(LIBZSTD NAMES libzstd.a zstd)
set(LLVM_INSIDE ${PROJECT_BINARY_DIR}/llvm-inside)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${LIBCLANG})

if(NOT LIBZSTD)
    message(STATUS "libzstd-dev is not installed: gpucc-compile loads libLLVM.so, and starts 10 ms later")
endif()
# Sanitizers intercept the functions of every library, so their builds load libLLVM.so.
if(GPUCC_SANITIZE OR GPUCC_SANITIZE_THREAD OR NOT references OR NOT LIBZSTD)
    function(link_llvm_inside target)
    endfunction()
    return()
endif()

# libclang initializes every target that LLVM has; the others' functions do nothing here.  Neither does Polly, which
# Debian's LLVM registers with the passes.
set(absent "")
set(roots "")
set(exports "")
foreach(reference ${references})
    string(REGEX REPLACE "@.*" "" symbol ${reference})
    string(REGEX REPLACE ".*@" "" LLVM_SYMBOL_VERSION ${reference})
    string(APPEND roots "-Wl,-u,${symbol}\n")
    string(APPEND exports "    ${symbol};\n")
    if(symbol MATCHES "^LLVMInitialize" AND NOT symbol MATCHES "^LLVMInitialize(X86|AArch64|NVPTX)")
        string(APPEND absent "void ${symbol}(void);\nvoid ${symbol}(void)\n{\n}\n")
    endif()
endforeach()
file(CONFIGURE OUTPUT ${LLVM_INSIDE}/roots CONTENT "${roots}" @ONLY)
file(CONFIGURE OUTPUT ${LLVM_INSIDE}/exports CONTENT "{\n${exports}};\n" @ONLY)
file(CONFIGURE OUTPUT ${LLVM_INSIDE}/exports.map CONTENT "${LLVM_SYMBOL_VERSION} {\n${exports}};\n" @ONLY)
file(CONFIGURE OUTPUT ${LLVM_INSIDE}/version.map CONTENT "${LLVM_SYMBOL_VERSION} {};\n" @ONLY)
file(CONFIGURE OUTPUT ${LLVM_INSIDE}/absent.c CONTENT "${absent}
static void register_nothing(void *passes)
{
    (void)passes;
}

struct plugin {
    unsigned version;
    const char *name, *text;
    void (*register_passes)(void *);
};
struct plugin _Z21getPollyPluginInfov(void);
struct plugin _Z21getPollyPluginInfov(void)
{
    return (struct plugin){1, \"Polly\", \"\", register_nothing};
}
" @ONLY)
file(CONFIGURE OUTPUT ${LLVM_INSIDE}/empty.c CONTENT "" @ONLY)

add_library(gpucc-llvm-name SHARED ${LLVM_INSIDE}/empty.c)
set_target_properties(gpucc-llvm-name PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${LLVM_NAME}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/${PROGRAMS_FROM_FRONT})
target_link_options(gpucc-llvm-name PRIVATE -nostdlib -Wl,--version-script=${LLVM_INSIDE}/version.map)

add_library(gpucc-llvm-absent OBJECT ${LLVM_INSIDE}/absent.c)
target_compile_options(gpucc-llvm-absent PRIVATE -fvisibility=default)

file(GLOB archives ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
add_library(gpucc-llvm-inside INTERFACE)
target_link_libraries(gpucc-llvm-inside INTERFACE $<TARGET_OBJECTS:gpucc-llvm-absent>
    -Wl,--no-as-needed gpucc-llvm-name -Wl,--as-needed -Wl,--start-group ${archives} -Wl,--end-group ${LIBZSTD} z)
target_link_options(gpucc-llvm-inside INTERFACE @${LLVM_INSIDE}/roots -Wl,--allow-shlib-undefined -Wl,--gc-sections)

function(link_llvm_inside target)
    set_target_properties(${target} PROPERTIES HAS_LLVM_INSIDE ON BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
    target_link_libraries(${target} PRIVATE gpucc-llvm-inside)
    get_target_property(type ${target} TYPE)
    set(folder ${PROJECT_BINARY_DIR}/llvm-inside)
    if(type STREQUAL "SHARED_LIBRARY")
        target_link_options(${target} PRIVATE -Wl,--version-script=${folder}/exports.map -Wl,-Bsymbolic)
    else()
        target_link_options(${target} PRIVATE -Wl,--dynamic-list=${folder}/exports)
    endif()
endfunction()
