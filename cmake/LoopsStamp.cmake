# GPUCC_LOOPS, a definition for C: the ABI of loops, "2-0123456789abcdef".  The number is GPUCC_LOOPS_REVISION, the rest a
# hash of the declarations in <gpucc/loops.h> and of the dtypes, whose numbers the loops' records have.  A program's
# manifest holds it, and a runtime with another one refuses the program.  Comments and blanks do not change it.
set(loops_headers ${CMAKE_CURRENT_LIST_DIR}/../include/gpucc/loops.h ${CMAKE_CURRENT_LIST_DIR}/../include/gpucc/dtypes.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${loops_headers})
set(loops)
foreach(header ${loops_headers})
    file(READ ${header} text)
    string(APPEND loops "${text}")
endforeach()
string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/" " " loops "${loops}")
string(REGEX REPLACE "[ \t\n\\]+" " " loops "${loops}")
string(SHA256 GPUCC_LOOPS "${loops}")
string(SUBSTRING ${GPUCC_LOOPS} 0 16 GPUCC_LOOPS)
string(REGEX MATCH "GPUCC_LOOPS_REVISION ([0-9]+)" revision "${loops}")
set(GPUCC_LOOPS "GPUCC_LOOPS=\"${CMAKE_MATCH_1}-${GPUCC_LOOPS}\"")
