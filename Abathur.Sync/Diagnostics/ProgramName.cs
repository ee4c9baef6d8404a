namespace Abathur.Sync.Diagnostics;

/// <summary>The name of this program in messages and help texts.</summary>
internal static class ProgramName
{
    /// <summary>
    /// Environment variable with the name of the command that passes its arguments on to this program: <c>abathur</c>, of the Python
    /// package. Programs that this one starts do not inherit it.
    /// </summary>
    public const string Variable = "ABATHUR_COMMAND_NAME";

    /// <summary>The name of the program itself.</summary>
    public const string Daemon = "abathur-sync";

    private const int MaxLength = 32;

    /// <summary>The command that the user has typed.</summary>
    public static string Current { get; } = Take() ?? Daemon;

    private static string? Take()
    {
        var name = Environment.GetEnvironmentVariable(Variable);
        Environment.SetEnvironmentVariable(Variable, null);
        return name is { Length: > 0 and <= MaxLength } && name.All(each => char.IsAsciiLetterOrDigit(each) || each == '-') ? name : null;
    }
}
