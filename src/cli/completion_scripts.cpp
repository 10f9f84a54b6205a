// schedcc completion: the scripts that make shells ask schedcc itself.

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/output.hpp"
#include "core/names.hpp"

namespace schedcc::cli {

namespace {

struct Script {
  std::string_view shell, text;
};

constexpr Script scripts[] = {
    {"bash", R"(# Completion of schedcc in bash: source <(schedcc completion bash)

_schedcc() {
  local line=${COMP_LINE:0:COMP_POINT} word last candidate
  local -a words
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  word=${words[-1]}
  # Readline replaces only what follows the last of the characters at which it breaks words.
  last=$word
  [[ $COMP_WORDBREAKS != *:* ]] || last=${last##*:}
  [[ $COMP_WORDBREAKS != *=* ]] || last=${last##*=}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    case $candidate in
      :files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$last")
              compopt -o filenames 2>/dev/null ;;
      :folders) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$last")
                compopt -o filenames 2>/dev/null ;;
      *) COMPREPLY+=("${candidate#"${word%"$last"}"}") ;;
    esac
  done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
  # A value follows.
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}

complete -F _schedcc schedcc
)"},
    {"zsh", R"(#compdef schedcc
# Completion of schedcc in zsh: source <(schedcc completion zsh), or as a file _schedcc in $fpath.

_schedcc() {
  local line value
  local -a plain open
  for line in "${(@f)$("${words[1]/#\~/$HOME}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    value=${${line%%$'\t'*}//:/\\:}
    case $line in
      ('') ;;
      (:files) _files ;;
      (:folders) _files -/ ;;
      (*=$'\t'*|*=) open+=("$value:${line#*$'\t'}") ;;
      (*$'\t'*) plain+=("$value:${line#*$'\t'}") ;;
      (*) plain+=("$value") ;;
    esac
  done
  (( ! $#plain )) || _describe -V schedcc plain
  (( ! $#open )) || _describe -V schedcc open -S ''
}

if [[ $funcstack[1] == _schedcc ]]; then
  _schedcc "$@"
else
  compdef _schedcc schedcc
fi
)"},
    {"fish", R"(# Completion of schedcc in fish: schedcc completion fish | source

function __schedcc_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$word"
            case :folders
                __fish_complete_directories "$word"
            case '*'
                echo -- $line
        end
    end
end

complete -c schedcc -f -a '(__schedcc_complete)'
)"},
};

}  // namespace

std::string completion_script(std::string_view shell) {
  std::vector<std::string_view> shells;
  for (const Script& script : scripts) {
    if (script.shell == shell) return std::string(script.text);
    shells.push_back(script.shell);
  }
  throw UsageError(unknown("shell", shell, shells));
}

Status completion(const CompletionOptions& options) {
  const std::vector<std::string>& shells = options.arguments;
  if (shells.size() != 1) throw UsageError("completion takes one shell: bash, zsh or fish");
  StandardOutput().write(completion_script(shells.front()));
  return ok;
}

}  // namespace schedcc::cli
