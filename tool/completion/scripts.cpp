// `sortlab completion bash|zsh`: the scripts by which a shell asks the program for completions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tool/flags.hpp"
#include "tool/help.hpp"

namespace sortlab {
namespace {

constexpr std::string_view kBash =
    R"(# Completion of PROGRAM in bash; made by: PROGRAM completion bash
_PROGRAM_completion() {
  local line=${COMP_LINE:0:COMP_POINT} last head='' breaks
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  last=${words[-1]#[\'\"]}
  words[-1]=$last
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]/#\~/$HOME}" complete "${words[@]:1}" 2>/dev/null)
  if [[ ${COMPREPLY[0]-} == :files ]]; then
    COMPREPLY=()
    compopt -o default 2>/dev/null
    return 0
  fi
  # Of a word that holds : or =, bash completes what follows the last of them.
  breaks=${COMP_WORDBREAKS//[^:=]/}
  [[ -n $breaks ]] && head=${last%"${last##*[$breaks]}"}
  COMPREPLY=("${COMPREPLY[@]#"$head"}")
}
complete -F _PROGRAM_completion PROGRAM
)";

constexpr std::string_view kZsh = R"zsh(#compdef PROGRAM
# Completion of PROGRAM in zsh; made by: PROGRAM completion zsh
_PROGRAM() {
  local -a found
  found=(${(f)"$(${(Q)~words[1]} complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ $found[1] == :files ]]; then
    _files
  else
    compadd -a found
  fi
}
if [[ ${funcstack[1]-} == _PROGRAM ]]; then
  _PROGRAM "$@"
else
  compdef _PROGRAM PROGRAM
fi
)zsh";

struct CompletionOptions {
  bool for_zsh = false;
};

int completion_command(CompletionOptions& options, const CommandContext& context) {
  constexpr std::string_view kPlaceholder = "PROGRAM";
  std::string script(options.for_zsh ? kZsh : kBash);
  for (std::size_t at; (at = script.find(kPlaceholder)) != std::string::npos;) {
    script.replace(at, kPlaceholder.size(), context.program);
  }
  fmt::print("{}", script);
  return 0;
}

}  // namespace

void add_completion_command(CLI::App& app, CommandContext& context) {
  auto [command, options] =
      add_command(app, context, "completion", "Print the script that completes what you type",
                  completion_command);
  add_choice(command, "SHELL", options.for_zsh, "bash|zsh", "bash or zsh")->required();
  add_examples(command, context,
               {"completion bash > ~/.local/share/bash-completion/completions/" + context.program,
                "completion zsh > \"${fpath[1]}/_" + context.program + "\""});
}

}  // namespace sortlab
