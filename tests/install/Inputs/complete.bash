# complete.bash FILE WORD…: what bash would put for the last of the words by the completion in FILE, one a line.
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_gpucc
printf '%s\n' "${COMPREPLY[@]}"
