# The target `wheel`: build/wheel/*.whl, with the Python package, the runtime, the compiler and all that the compiler loads
# (docs/project/release.md).  In it the compiler's code is there once: libgpucc-compiler.so has that of the two programs
# too, which only enter it.
# In a build for another machine it is the package and the runtime.
if(CMAKE_CROSSCOMPILING)
    add_custom_target(wheel python3 ${CMAKE_CURRENT_SOURCE_DIR}/cmake/wheel.py ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}
        ${CMAKE_C_COMPILER} ${CMAKE_SYSTEM_PROCESSOR} USES_TERMINAL VERBATIM)
    add_dependencies(wheel gpucc-shared)
endif()
if(NOT TARGET gpucc-compiler)
    return()
endif()
set(wheel ${CMAKE_BINARY_DIR}/wheel)

set(map ${CMAKE_CURRENT_SOURCE_DIR}/compiler/libgpucc-compiler.map)
file(READ ${map} symbols)
string(REPLACE "local:" "    gpucc_compile_main;\n    gpucc_commands_main;\nlocal:" symbols "${symbols}")
file(CONFIGURE OUTPUT ${wheel}/programs/exports.map CONTENT "${symbols}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${map})

add_library(gpucc-whole SHARED EXCLUDE_FROM_ALL compiler/library.c)
target_compile_definitions(gpucc-whole PRIVATE GPUCC_VERSION="${PROJECT_VERSION}")
target_include_directories(gpucc-whole PRIVATE runtime)
target_link_libraries(gpucc-whole PRIVATE gpucc-command-objects gpucc-compiler-objects gpucc-ready-ptx gpucc-precompiled
    gpucc-static)
target_link_options(gpucc-whole PRIVATE -Wl,--version-script=${wheel}/programs/exports.map -Wl,--build-id)
link_llvm_inside(gpucc-whole)
set_target_properties(gpucc-whole PROPERTIES OUTPUT_NAME gpucc-compiler SOVERSION 0
    LIBRARY_OUTPUT_DIRECTORY ${wheel}/programs)

function(wheel_program name source)
    string(REPLACE "-" "_" entry ${name}_main)
    add_library(${name}-main OBJECT EXCLUDE_FROM_ALL compiler/${source})
    target_compile_definitions(${name}-main PRIVATE main=${entry})
    target_compile_options(${name}-main PRIVATE -fvisibility=default) # for the one function in it
    target_link_libraries(${name}-main PRIVATE gpucc-compiler-objects) # for its include paths
    target_link_libraries(gpucc-whole PRIVATE ${name}-main)
    file(CONFIGURE OUTPUT ${wheel}/programs/${name}.c CONTENT
"int @entry@(int argc, char **argv);

int main(int argc, char **argv)
{
    return @entry@(argc, argv);
}
" @ONLY)
    add_executable(${name}-entry EXCLUDE_FROM_ALL ${wheel}/programs/${name}.c)
    target_link_libraries(${name}-entry PRIVATE gpucc-whole)
    target_link_options(${name}-entry PRIVATE -Wl,--build-id)
    set_target_properties(${name}-entry PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${wheel}/programs)
endfunction()
wheel_program(gpucc-compile main.c)
wheel_program(gpucc-commands commands.c)

add_custom_target(wheel python3 ${CMAKE_CURRENT_SOURCE_DIR}/cmake/wheel.py ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}
    USES_TERMINAL VERBATIM)
add_dependencies(wheel gpucc gpucc-compiler gpucc-static gpucc-shared gpucc-manual-pages gpucc-compile-entry
    gpucc-commands-entry)
