# complete.zsh FOLDER LINE…: each line with what zsh makes of it where Tab is typed behind it, by the completion functions in
# FOLDER.
zmodload zsh/zpty
folder=$1
shift
zpty shell zsh -f -i
zpty -w shell "PS1=; PS2=; fpath=($folder \$fpath); autoload -Uz compinit && compinit -u -D; stty -echo"
zpty -w shell 'show() { print -r -- "<$BUFFER>"; BUFFER= }; zle -N show; bindkey "^X" show; bindkey "^I" complete-word; print rea""dy'
zpty -r -m shell text '*ready*'
for line in "$@"; do
    zpty -w -n shell "$line"$'\t\C-X'
    zpty -r -m shell text '*<*>*'
    print -r -- "${${text##*<}%%>*}"
done
zpty -d shell
