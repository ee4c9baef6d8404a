namespace Abathur.Client;

/// <summary>The names of matches, on this machine and on NATS. The daemon and Abathur.Client.Nats compile this file as well.</summary>
internal static class MatchName
{
    /// <summary>Longest name.</summary>
    public const int MaxLength = 64;

    /// <summary>Whether a text can be a name: letters, digits, '_' and '-'.</summary>
    public static bool Is(string text) => text.Length is > 0 and <= MaxLength && text.All(Has);

    /// <summary>Whether a name can have a character.</summary>
    public static bool Has(char each) => char.IsAsciiLetterOrDigit(each) || each is '_' or '-';
}
