# Shared by the GPU suite and the benchmark: the target gpu-suite, which stages both in build/gpu-suite, a folder that
# runs on any machine with libcuda, and how their programs are built.
include_guard(GLOBAL)
option(GPUCC_SUITE_EMULATE "Build the GPU suite's programs for the fake libcuda" OFF)
set(GPU_SUITE_DIR ${CMAKE_BINARY_DIR}/gpu-suite CACHE INTERNAL "Where the GPU suite is staged")
set(GPU_SUITE_PROGRAMS ${CMAKE_BINARY_DIR}/tests/gpu-programs CACHE INTERNAL "Their objects and headers")
file(MAKE_DIRECTORY ${GPU_SUITE_PROGRAMS} ${GPU_SUITE_DIR})
add_custom_target(gpu-suite)

# gpu_suite_program(SOURCE DESTINATION [NATIVE] OPTION…): the gpucc source as object and header in the build tree, for
# gpu_suite_executable(), and as PTX and manifest in the folder DESTINATION.  NATIVE: without the GPU's entries as native
# code, which take three times as long to compile as the rest; the stand-in for libcuda plays its PTX or does not run it.
function(gpu_suite_program source destination)
    cmake_parse_arguments(PARSE_ARGV 2 program "NATIVE" "" "")
    set(programs_dir ${GPU_SUITE_PROGRAMS})
    get_filename_component(name ${source} NAME_WE)
    set(emulate)
    if(GPUCC_SUITE_EMULATE AND NOT program_NATIVE)
        set(emulate --emulate)
    endif()
    add_custom_command(
        OUTPUT ${programs_dir}/${name}.o ${programs_dir}/${name}.h
        BYPRODUCTS ${destination}/${name}.json
        COMMAND ${CMAKE_COMMAND} -E make_directory ${destination}
        COMMAND gpucc ${source} -I${PROJECT_SOURCE_DIR}/tests/accuracy ${emulate} ${program_UNPARSED_ARGUMENTS}
                -o ${programs_dir}/${name}.o -o ${programs_dir}/${name}.h -o ${destination}/${name}.ptx
                -o ${destination}/${name}.json -MD -MF ${programs_dir}/${name}.d -MT ${programs_dir}/${name}.o
        DEPENDS gpucc ${source}
        DEPFILE ${programs_dir}/${name}.d
        COMMENT "gpucc ${name}.c" VERBATIM)
endfunction()

# gpu_suite_executable(NAME DESTINATION PROGRAMS… ) for an existing executable target: links the programs and stages it.
function(gpu_suite_executable target destination)
    set(programs_dir ${GPU_SUITE_PROGRAMS})
    foreach(program ${ARGN})
        target_sources(${target} PRIVATE ${programs_dir}/${program}.o ${programs_dir}/${program}.h)
        set_source_files_properties(${programs_dir}/${program}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    endforeach()
    target_include_directories(${target} PRIVATE ${programs_dir} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}
        ${PROJECT_SOURCE_DIR}/tests/accuracy)
    target_compile_options(${target} PRIVATE -ffp-contract=off -Wno-missing-field-initializers)
    target_link_libraries(${target} PRIVATE gpucc-static Threads::Threads ${CMAKE_DL_LIBS} m)
    target_link_options(${target} PRIVATE -static-libgcc)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE RUNTIME_OUTPUT_DIRECTORY ${destination}
        SKIP_BUILD_RPATH TRUE
        ENABLE_EXPORTS ${GPUCC_SUITE_EMULATE}) # the fake libcuda finds native code by name
    if(GPUCC_SUITE_EMULATE)
        target_sources(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/emulated.c ${programs_dir}/cast.o
            ${programs_dir}/sort.o)
        set_source_files_properties(${programs_dir}/cast.o ${programs_dir}/sort.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime ${PROJECT_SOURCE_DIR}/tests/fake_cuda)
    endif()
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
    add_dependencies(gpu-suite ${target})
endfunction()
