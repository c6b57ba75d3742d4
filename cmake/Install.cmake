# The files that `cmake --install` copies.  The tree may be moved afterwards: no file in it has its path.
#   component gpucc         the command, with the two programs that it starts, its manual and completions
#   component libgpucc0     the shared library
#   component libgpucc-dev  headers, the static library, and what CMake and pkg-config read
#   component libgpucc-compiler0, libgpucc-compiler-dev   the same for the compiler as a library, but for its header
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpucc)

install(TARGETS gpucc-shared EXPORT gpuccRuntimeTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libgpucc0 NAMELINK_COMPONENT libgpucc-dev)
install(TARGETS gpucc-static EXPORT gpuccRuntimeTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libgpucc-dev)
install(EXPORT gpuccRuntimeTargets NAMESPACE gpucc:: DESTINATION ${package_dir} COMPONENT libgpucc-dev)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libgpucc-dev)

if(TARGET gpucc)
    install(TARGETS gpucc EXPORT gpuccCommandTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gpucc)
    install(TARGETS gpucc-compile gpucc-commands
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gpucc COMPONENT gpucc)
    if(TARGET gpucc-llvm-name)
        install(TARGETS gpucc-llvm-name LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gpucc COMPONENT gpucc)
    endif()
    install(EXPORT gpuccCommandTargets NAMESPACE gpucc:: DESTINATION ${package_dir} COMPONENT gpucc)
    install(TARGETS gpucc-compiler EXPORT gpuccCompilerTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libgpucc-compiler0 NAMELINK_COMPONENT libgpucc-compiler-dev)
    install(EXPORT gpuccCompilerTargets NAMESPACE gpucc:: DESTINATION ${package_dir} COMPONENT libgpucc-compiler-dev)
endif()

if(TARGET gpucc)
    set(manual ${CMAKE_CURRENT_BINARY_DIR}/compiler/manual)
    foreach(page gpucc gpucc-run gpucc-bench gpucc-test gpucc-inspect gpucc-wrap gpucc-devices)
        install(FILES ${manual}/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gpucc)
    endforeach()
    install(FILES ${manual}/gpucc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gpucc
        COMPONENT gpucc)
    set(zsh_folder site-functions) # Debian's zsh looks there below /usr/local alone
    if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
        set(zsh_folder vendor-completions)
    endif()
    install(FILES ${manual}/gpucc.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} RENAME _gpucc
        COMPONENT gpucc)
    install(FILES ${manual}/gpucc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT gpucc)
endif()

configure_package_config_file(cmake/gpuccConfig.cmake.in gpuccConfig.cmake INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(gpuccConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# CMake finds the build tree by its bin on the PATH, so find_package() works there too.  export() would ask for the
# objects of the libraries as targets.
function(build_tree_target file name target kind)
    list(JOIN ARGN " " libraries)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${file}.cmake CONTENT
"if(NOT TARGET gpucc::${name})
    add_${kind} IMPORTED)
    set_target_properties(gpucc::${name} PROPERTIES IMPORTED_LOCATION \"$<TARGET_FILE:${target}>\")
    target_include_directories(gpucc::${name} INTERFACE \"${PROJECT_SOURCE_DIR}/include\")
    target_link_libraries(gpucc::${name} INTERFACE ${libraries})
endif()
")
endfunction()
get_property(is_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT is_multi)
    build_tree_target(gpuccStaticTargets runtime_static gpucc-static "library(gpucc::runtime_static STATIC"
                      Threads::Threads ${CMAKE_DL_LIBS} m)
    build_tree_target(gpuccRuntimeTargets runtime gpucc-shared "library(gpucc::runtime SHARED")
    if(TARGET gpucc)
        build_tree_target(gpuccCommandTargets gpucc gpucc "executable(gpucc::gpucc")
        build_tree_target(gpuccCompilerTargets compiler gpucc-compiler "library(gpucc::compiler SHARED")
    endif()
endif()
configure_file(cmake/gpuccFunctions.cmake gpuccFunctions.cmake COPYONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gpuccConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/gpuccConfigVersion.cmake
    cmake/gpuccFunctions.cmake DESTINATION ${package_dir} COMPONENT libgpucc-dev)

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
foreach(folder IN ITEMS BINDIR LIBDIR INCLUDEDIR) # which may be named absolutely
    file(RELATIVE_PATH pc_${folder} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${folder}})
endforeach()
configure_file(cmake/gpucc.pc.in gpucc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gpucc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT libgpucc-dev)

if(TARGET gpucc-compiler)
    configure_file(cmake/gpucc-compiler.pc.in gpucc-compiler.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gpucc-compiler.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT libgpucc-compiler-dev)
endif()

install(FILES README.md CHANGELOG.md LICENSE cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT gpucc)
install(DIRECTORY docs samples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT gpucc
    PATTERN run EXCLUDE PATTERN site.* EXCLUDE PATTERN mkdocs.yml EXCLUDE)
