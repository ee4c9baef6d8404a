using System.CommandLine;

namespace Abathur.Sync.Cli;

/// <summary><c>completion SHELL</c>: prints a completion script for a shell. The script runs this program to get the words.</summary>
internal static class CompletionCommand
{
    // [suggest:N] "LINE" is a directive of the command line library: it prints the words that are valid at position N.
    private static readonly Dictionary<string, string> Scripts = new()
    {
        ["bash"] = """
            # source <(abathur-sync completion bash)
            _abathur_sync() {
                local IFS=$'\n' word="${COMP_WORDS[COMP_CWORD]}"
                COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "[suggest:${COMP_POINT}]" "${COMP_LINE}" 2>/dev/null)" -- "$word"))
            }
            complete -o default -F _abathur_sync abathur-sync
            """,
        ["zsh"] = """
            # In ~/.zshrc, behind compinit: source <(abathur-sync completion zsh)
            _abathur_sync() {
                local line="${(j: :)words[1,CURRENT-1]} $PREFIX"
                local -a found=("${(@f)$("${words[1]}" "[suggest:${#line}]" "$line" 2>/dev/null)}")
                compadd -- $found
                _files
            }
            compdef _abathur_sync abathur-sync
            """,
        ["fish"] = """
            # abathur-sync completion fish | source
            function __abathur_sync
                set -l line (commandline -cp)
                abathur-sync "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null
            end
            complete -c abathur-sync -a '(__abathur_sync)'
            """,
        ["pwsh"] = """
            # abathur-sync completion pwsh | Out-String | Invoke-Expression
            Register-ArgumentCompleter -Native -CommandName abathur-sync -ScriptBlock {
                param($word, $ast, $position)
                # The position counts from the start of the input, and the command's text ends before the spaces that follow it.
                $at = $position - $ast.Extent.StartOffset
                $found = abathur-sync "[suggest:$at]" ("$ast".PadRight($at)) 2>$null
                $found | Where-Object { $_ -and $_.StartsWith($word, 'OrdinalIgnoreCase') } | ForEach-Object {
                    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
                }
            }
            """,
    };

    public static Command Create()
    {
        var shell = new Argument<string>("SHELL") { Description = "bash, zsh, fish or pwsh." }.AcceptOnlyFromAmong([.. Scripts.Keys]);
        var command = new Command("completion", "Print a completion script for a shell.") { shell };
        command.SetAction(result =>
        {
            Console.Out.WriteLine(Scripts[result.GetValue(shell)!].ReplaceLineEndings("\n"));
            return ExitCode.Ok;
        });
        return command;
    }
}
