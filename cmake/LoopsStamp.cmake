# GPUCC_LOOPS, a definition for C: the ABI of loops, "2-0123456789abcdef".  The number is GPUCC_LOOPS_REVISION, the rest a
# hash of the declarations in <gpucc/loops.h>.  A program's manifest holds it, and a runtime with another one refuses
# the program.  Comments and blanks do not change it.
set(loops_header ${CMAKE_CURRENT_LIST_DIR}/../include/gpucc/loops.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${loops_header})
file(READ ${loops_header} loops)
string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/" " " loops "${loops}")
string(REGEX REPLACE "[ \t\n\\]+" " " loops "${loops}")
string(SHA256 GPUCC_LOOPS "${loops}")
string(SUBSTRING ${GPUCC_LOOPS} 0 16 GPUCC_LOOPS)
string(REGEX MATCH "GPUCC_LOOPS_REVISION ([0-9]+)" revision "${loops}")
set(GPUCC_LOOPS "GPUCC_LOOPS=\"${CMAKE_MATCH_1}-${GPUCC_LOOPS}\"")
