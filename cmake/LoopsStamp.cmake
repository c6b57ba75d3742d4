# GPUCC_LOOPS, a definition for C.  A program's manifest says by which parameters of loops it was compiled, and a runtime
# with others refuses it.
set(loops_header ${CMAKE_CURRENT_LIST_DIR}/../include/gpucc/loops.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${loops_header})
file(SHA256 ${loops_header} GPUCC_LOOPS)
string(SUBSTRING ${GPUCC_LOOPS} 0 16 GPUCC_LOOPS)
set(GPUCC_LOOPS "GPUCC_LOOPS=\"${GPUCC_LOOPS}\"")
