# cpack runs this before it makes packages of the files: Debian's have manual pages and changelogs compressed.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/gpucc*.1 ${CPACK_TEMPORARY_DIRECTORY}/changelog.Debian)
execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
