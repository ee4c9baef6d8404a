using System.Text;

namespace Abathur.Sync.Hosting;

/// <summary>Splits a command line into words, the same on all systems.</summary>
/// <remarks>
/// Words are separated by blanks; double or single quotation marks group characters to one word and are removed. A backslash is an ordinary
/// character (Windows paths), except that it escapes a double quotation mark.
/// </remarks>
public static class CommandLine
{
    /// <summary>The words; at least one.</summary>
    /// <exception cref="AgentException">The text has no word, or a quotation mark is not closed.</exception>
    public static IReadOnlyList<string> Split(string text)
    {
        var words = new List<string>();
        var word = new StringBuilder();
        var isWord = false;
        char? quote = null;
        for (var i = 0; i < text.Length; i++)
        {
            var c = text[i];
            if (c == '\\' && i + 1 < text.Length && text[i + 1] == '"') word.Append(text[++i]);
            else if (quote is not null && c == quote) quote = null;
            else if (quote is null && (c is '"' or '\'')) quote = c;
            else if (quote is null && char.IsWhiteSpace(c))
            {
                if (isWord) words.Add(word.ToString());
                word.Clear();
                isWord = false;
                continue;
            }
            else word.Append(c);
            isWord = true;
        }
        if (quote is not null) throw new AgentException($"a quotation mark is not closed in: {text}");
        if (isWord) words.Add(word.ToString());
        return words.Count > 0 && words[0].Length > 0 ? words : throw new AgentException("the command of an agent is empty");
    }
}
