# Deflates a file: cmake -DFILE=cast.ptx -P pack.cmake makes cast.ptx.gz.  What images.c skips, the time for one, is its
# first 10 bytes.
file(ARCHIVE_CREATE OUTPUT ${FILE}.gz PATHS ${FILE} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
file(READ ${FILE}.gz begin LIMIT 4 HEX)
if(NOT begin STREQUAL "1f8b0800")
    message(FATAL_ERROR "${FILE}.gz does not begin with gzip's 10 bytes alone")
endif()
