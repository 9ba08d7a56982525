# Completes a command line of clfold by what _clfold_command sets: the options, for each operand
# what it may be, and for each option that takes a value what that may be. "*" stands for files,
# "f32,f64" for a list of these words, "add mul" for one of them.

# Files whose names begin with $1. Unless $2 is "any", those that hold numbers by their names, and
# folders, come alone if there are such.
_clfold_files() {
    local file
    compopt -o filenames
    while [[ $2 != any ]] && read -r file; do
        if [[ -d $file || $file == *.@(npy|bin|txt) ]]; then
            COMPREPLY+=("$file")
        fi
    done < <(compgen -f -- "$1")
    if [[ ${#COMPREPLY[@]} = 0 ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$1")
    fi
}

_clfold() {
    local current=${COMP_WORDS[COMP_CWORD]} word command='' option='' expects='' operand=0
    local options operands takes
    local -A values
    COMPREPLY=()
    _clfold_command ''
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word == [=:] ]]; then
            # bash makes three words of --op=max, and of u8:u64
            expects=$option
        elif [[ $expects ]]; then
            expects=
        elif [[ $word == --* ]]; then
            option=${values[$word]+$word} expects=$option
        elif [[ $word == -?* ]]; then
            :
        elif [[ $command ]]; then
            operand=$((operand + 1))
        else
            command=$word
            _clfold_command "$command"
        fi
    done
    if [[ $current == [=:] ]]; then
        expects=$option current=
    fi

    if [[ $expects ]]; then
        takes=${values[$expects]}
    elif [[ $current == -* ]]; then
        takes=$options
    else
        takes=${operands[operand]-$options}
    fi
    case $takes in
    '*') _clfold_files "$current" "${expects:+any}" ;;
    *,*)
        compopt -o nospace
        word=${current%"${current##*,}"}
        mapfile -t COMPREPLY < <(compgen -P "$word" -W "${takes//,/ }" -- "${current##*,}")
        ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$takes" -- "$current") ;;
    esac
}

complete -F _clfold clfold
