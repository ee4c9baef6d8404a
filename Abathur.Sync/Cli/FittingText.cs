namespace Abathur.Sync.Cli;

/// <summary>Text that fits into a terminal of any width: whole parts are omitted, so that a line never wraps.</summary>
internal static class FittingText
{
    private const string Cut = "…";

    /// <summary>Joins the parts, without those that matter least if not all fit. The last one left is cut if it is too long.</summary>
    /// <param name="separator">Between two parts.</param>
    /// <param name="width">Most characters of the result.</param>
    /// <param name="parts">The parts, and for each how long it stays as the width gets smaller: those with the lowest number go
    /// first.</param>
    public static string Join(string separator, int width, params IEnumerable<(string Text, int Keep)> parts)
    {
        var kept = parts.Where(part => part.Text.Length > 0).ToList();
        while (kept.Count > 1 && kept.Sum(part => part.Text.Length + separator.Length) - separator.Length > width)
            kept.Remove(kept.MinBy(part => part.Keep));
        return Shorten(string.Join(separator, kept.Select(part => part.Text)), width);
    }

    /// <summary>The same for parts in order of importance, the most important first.</summary>
    public static string JoinInOrder(string separator, int width, params string[] parts) =>
        Join(separator, width, parts.Select((part, index) => (part, -index)));

    /// <summary>The text, or the start of it that fits, with an ellipsis.</summary>
    public static string Shorten(string text, int width) =>
        text.Length <= width ? text : $"{text[..Math.Max(width - Cut.Length, 0)]}{Cut}";
}
