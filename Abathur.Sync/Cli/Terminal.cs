namespace Abathur.Sync.Cli;

/// <summary>The terminal that standard error goes to.</summary>
internal static class Terminal
{
    private const int DefaultWidth = 80;

    /// <summary>Whether lines on it can be updated in place: not for a file or a pipe, and not with <c>TERM=dumb</c>.</summary>
    public static bool CanUpdateLines => !Console.IsErrorRedirected && Environment.GetEnvironmentVariable("TERM") != "dumb";

    /// <summary>Its columns.</summary>
    public static int Width
    {
        get
        {
            try
            {
                return Console.WindowWidth is > 0 and var width ? width : DefaultWidth;
            }
            catch (IOException)
            {
                // On Windows, when standard output is not a console.
                return DefaultWidth;
            }
        }
    }

    /// <summary>Replaces the current line by a text of at most <see cref="Width"/> - 1 characters; an empty text removes it.</summary>
    /// <remarks>In a single write, so that the line does not flicker. The cursor stays at its end.</remarks>
    public static void UpdateLine(TextWriter terminal, string text) => terminal.Write($"\r{text}\u001b[K");
}
