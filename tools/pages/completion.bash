# shellcheck shell=bash
# Completes a command line of clfold by what its commands' --help says: options, their values,
# and from the usage the operands. It says which values there are as "one of these words", of an
# option or of a kind of value, such as "TYPE is one of f32 f64"; FILE stands for files.

# Sets $words to those after "one of " in the text $1.
_clfold_words() {
    local rest=$1 some
    words=''
    while [[ $rest == *'one of '* ]]; do
        rest=${rest#*one of }
        some=${rest%%[.;:)]*}
        words+=" ${some//,/}"
    done
}

# Sets what there is after the command $1: $options, $operands, and $values of options.
_clfold_command() {
    local line of='' words kind usage='' all=() option
    local -A kinds=() texts=()
    options='' operands=() values=()
    while IFS= read -r line; do
        case $line in
        '') of='' ;;
        '  -'*)
            line=${line#  } line=${line#-?, }
            of=${line%% *} line=${line#"$of"} options+=" $of"
            [[ $line == ' '[A-Z]* ]] && kind=${line# } kinds[$of]=${kind%% *}
            texts[$of]=$line
            ;;
        Usage:*) usage=${line#* clfold} ;;
        '  or:'*) ;;
        [A-Z]*' is one of '*) of=${line%% *} texts[$of]=$line ;;
        '  '[a-z]*) [[ $1 ]] || { line=${line#  } all+=("${line%% *}"); } ;;
        *) [[ $of ]] && texts[$of]+=" ${line#"${line%%[! ]*}"}" ;;
        esac
    done < <(command "${COMP_WORDS[0]}" ${1:+"$1"} --help 2>/dev/null)
    for option in "${!kinds[@]}"; do
        kind=${kinds[$option]}
        _clfold_words "${texts[$option]}"
        [[ $words ]] || _clfold_words "${texts[$kind]%%[.;]*}"
        case $kind in
        FILE* | ARG) words='*' ;;
        SEL) words='gpu cpu' ;;
        esac
        values[$option]=$words
    done
    [[ $1 ]] || commands=${all[*]}
    for line in ${usage#" $1"}; do
        case $line in
        COMMAND | '[COMMAND]') operands+=("$commands") ;;
        *[[:lower:]]'|'[[:lower:]]*) operands+=("${line//|/ }") ;;
        *EXPR* | '[ARGUMENT]'*) ;;
        [[:upper:]]*) operands+=('*') ;;
        esac
    done
}

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
    local options operands takes commands=''
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
    *) mapfile -t COMPREPLY < <(compgen -W "$takes" -- "$current") ;;
    esac
}

complete -F _clfold clfold
