# Writes a C file whose array holds the bytes of files:
#     cmake -DOUT=embedded.c -DTABLE=embedded_files -DFILES="/virtual/a=real/a;…" -P Embed.cmake
# The assembler reads the files (.incbin), so that embedding megabytes costs nothing.
set(code "#include \"base/base.h\"\n\n")
set(table "")
set(count 0)
foreach(pair IN LISTS FILES)
    string(REGEX MATCH "^([^=]*)=(.*)$" _ "${pair}")
    set(path "${CMAKE_MATCH_1}")
    set(real "${CMAKE_MATCH_2}")
    string(APPEND code
        "__asm__(\".section .rodata\\n.balign 16\\n${TABLE}_${count}:\\n.incbin \\\"${real}\\\"\\n\"\n"
        "        \".byte 0\\n.previous\\n\");\n"
        "extern const char ${TABLE}_${count}[] __attribute__((visibility(\"hidden\")));\n")
    file(SIZE "${real}" size)
    string(APPEND table "    {\"${path}\", ${TABLE}_${count}, ${size}},\n")
    math(EXPR count "${count} + 1")
endforeach()
string(APPEND code "\nconst struct embedded_file ${TABLE}[] = {\n${table}    {0, 0, 0}};\n"
       "const size_t ${TABLE}_count = ${count};\n")
file(WRITE "${OUT}" "${code}")
