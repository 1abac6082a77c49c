
# The shell splits --option=value into three words, unless COMP_WORDBREAKS lacks '='.
_iotrace() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]-} option= kind= words=
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
		COMPREPLY=($(compgen -W "$_iotrace_commands" -- "$current"))
		return
	fi
	case $current in
	=) option=$previous current= ;;
	--*=*) option=${current%%=*} current=${current#*=} ;;
	*)
		option=$previous
		[ "$previous" != = ] || option=${COMP_WORDS[COMP_CWORD-2]}
		;;
	esac
	read -r kind words <<<"$(_iotrace_values "$command $option")"
	case $kind in
	word) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
	list)
		local before=
		case $current in *,*) before=${current%,*}, ;; esac
		COMPREPLY=($(compgen -P "$before" -W "$words" -- "${current##*,}"))
		compopt -o nospace 2>/dev/null
		;;
	*)
		case $current in
		-*)
			COMPREPLY=($(compgen -W "$(_iotrace_options "$command")" -- "$current"))
			case ${COMPREPLY-} in *=) compopt -o nospace 2>/dev/null ;; esac
			;;
		*) COMPREPLY=($(compgen -f -- "$current")) && compopt -o filenames 2>/dev/null ;;
		esac
		;;
	esac
	return 0
}
complete -F _iotrace iotrace
