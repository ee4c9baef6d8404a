namespace Abathur.Sync.Cli;

/// <summary>What a user may have meant by a name that does not exist.</summary>
internal static class Suggestions
{
    /// <summary>The known name that differs least from a given one, as text to append to a message; empty if all differ much.</summary>
    public static string For(string given, IEnumerable<string> known)
    {
        // One error in a short word, two in a longer one.
        var most = given.TrimStart('-').Length <= 4 ? 1 : 2;
        var best = known
            .Select(name => (Name: name, Distance: Distance(given.ToLowerInvariant(), name.ToLowerInvariant())))
            .Where(each => each.Distance <= most)
            .OrderBy(each => each.Distance)
            .FirstOrDefault();
        // Or the beginning of a name.
        var name = best.Name
            ?? known.FirstOrDefault(each => given.Length > 3 && each.StartsWith(given, StringComparison.OrdinalIgnoreCase));
        return name is null ? "" : $" (did you mean {name}?)";
    }

    /// <summary>Number of characters to insert, delete, replace, or exchange with the next one (optimal string alignment).</summary>
    public static int Distance(string a, string b)
    {
        var rows = new int[a.Length + 1, b.Length + 1];
        for (var i = 0; i <= a.Length; i++) rows[i, 0] = i;
        for (var j = 0; j <= b.Length; j++) rows[0, j] = j;
        for (var i = 1; i <= a.Length; i++)
        {
            for (var j = 1; j <= b.Length; j++)
            {
                var replaced = rows[i - 1, j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
                rows[i, j] = Math.Min(replaced, Math.Min(rows[i - 1, j], rows[i, j - 1]) + 1);
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    rows[i, j] = Math.Min(rows[i, j], rows[i - 2, j - 2] + 1);
            }
        }
        return rows[a.Length, b.Length];
    }
}
