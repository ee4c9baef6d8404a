using System.CommandLine;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary><c>completion SHELL</c>: prints a completion script for a shell. The script runs this program to get the words.</summary>
internal static class CompletionCommand
{
    // COMMAND stands for the name of the program, FUNCTION for the same as an identifier.
    // [suggest:N] "LINE" is a directive of the command line library: it prints the words that are valid at position N.
    private static readonly Dictionary<string, string> Scripts = new()
    {
        ["bash"] = """
            # source <(COMMAND completion bash)
            _FUNCTION() {
                local IFS=$'\n' word="${COMP_WORDS[COMP_CWORD]}"
                COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "[suggest:${COMP_POINT}]" "${COMP_LINE}" 2>/dev/null)" -- "$word"))
            }
            complete -o default -F _FUNCTION COMMAND
            """,
        ["zsh"] = """
            # In ~/.zshrc, behind compinit: source <(COMMAND completion zsh)
            _FUNCTION() {
                local line="${(j: :)words[1,CURRENT-1]} $PREFIX"
                local -a found=("${(@f)$("${words[1]}" "[suggest:${#line}]" "$line" 2>/dev/null)}")
                compadd -- $found
                _files
            }
            compdef _FUNCTION COMMAND
            """,
        ["fish"] = """
            # COMMAND completion fish | source
            function __FUNCTION
                set -l line (commandline -cp)
                COMMAND "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null
            end
            complete -c COMMAND -a '(__FUNCTION)'
            """,
        ["pwsh"] = """
            # COMMAND completion pwsh | Out-String | Invoke-Expression
            Register-ArgumentCompleter -Native -CommandName COMMAND -ScriptBlock {
                param($word, $ast, $position)
                # The position counts from the start of the input, and the command's text ends before the spaces that follow it.
                $at = $position - $ast.Extent.StartOffset
                $found = COMMAND "[suggest:$at]" ("$ast".PadRight($at)) 2>$null
                $found | Where-Object { $_ -and $_.StartsWith($word, 'OrdinalIgnoreCase') } | ForEach-Object {
                    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
                }
            }
            """,
    };

    public static Command Create()
    {
        var shell = new Argument<string>("SHELL") { Description = "bash, zsh, fish or pwsh." };
        shell.OneOf([.. Scripts.Keys]);
        var command = new Command("completion", "Print a completion script for a shell.") { shell };
        command.SetAction(result =>
        {
            var script = Scripts[result.GetValue(shell)!]
                .Replace("FUNCTION", ProgramName.Current.Replace('-', '_'), StringComparison.Ordinal)
                .Replace("COMMAND", ProgramName.Current, StringComparison.Ordinal);
            Console.Out.WriteLine(script.ReplaceLineEndings("\n"));
            return ExitCode.Ok;
        });
        return command;
    }
}
