using System.Globalization;
using System.Text;

namespace Abathur.Sync.Matches.Recording;

/// <summary>
/// Letters and digits of any script, in the normal form C of Unicode: a letter with its accent is one character. Text in another form looks
/// the same and is another name. The runtime does not normalize, because the program runs without the data of cultures.
/// </summary>
internal static class ComposedText
{
    // Letters and marks that have another form in normal form C, and marks that form one character with most letters before them, among
    // them the parts of Hangul syllables. From UnicodeData.txt; first and last.
    private static readonly (int First, int Last)[] Decomposed =
    [
        (0x300, 0x36f), (0x374, 0x374), (0x653, 0x655), (0x958, 0x95f), (0x9dc, 0x9df), (0xa33, 0xa33), (0xa36, 0xa36), (0xa59, 0xa5b),
        (0xa5e, 0xa5e), (0xb5c, 0xb5d), (0xf43, 0xf43), (0xf4d, 0xf4d), (0xf52, 0xf52), (0xf57, 0xf57), (0xf5c, 0xf5c), (0xf69, 0xf69),
        (0xf73, 0xf73), (0xf75, 0xf76), (0xf78, 0xf78), (0xf81, 0xf81), (0xf93, 0xf93), (0xf9d, 0xf9d), (0xfa2, 0xfa2), (0xfa7, 0xfa7),
        (0xfac, 0xfac), (0xfb9, 0xfb9),
        (0x1100, 0x11ff), (0x1ab0, 0x1aff), (0x1dc0, 0x1dff), (0x1f71, 0x1f71), (0x1f73, 0x1f73), (0x1f75, 0x1f75), (0x1f77, 0x1f77),
        (0x1f79, 0x1f79), (0x1f7b, 0x1f7b), (0x1f7d, 0x1f7d), (0x1fbb, 0x1fbb), (0x1fbe, 0x1fbe), (0x1fc9, 0x1fc9), (0x1fcb, 0x1fcb),
        (0x1fd3, 0x1fd3), (0x1fdb, 0x1fdb), (0x1fe3, 0x1fe3), (0x1feb, 0x1feb), (0x1ff9, 0x1ff9), (0x1ffb, 0x1ffb), (0x20d0, 0x20ff),
        (0x2126, 0x2126), (0x212a, 0x212b), (0x3099, 0x309a), (0xa960, 0xa97f), (0xd7b0, 0xd7ff), (0xf900, 0xfaff), (0xfb1d, 0xfb4e),
        (0xfe20, 0xfe2f), (0x2f800, 0x2fa1d),
    ];

    // Of the other marks, those that form one character with the letter before them: each mark, with these letters.
    private static readonly Dictionary<int, string> Pairs = new()
    {
        [0x93c] = "\u0928\u0930\u0933",
        [0x9be] = "\u09c7",
        [0x9d7] = "\u09c7",
        [0xb3e] = "\u0b47",
        [0xb56] = "\u0b47",
        [0xb57] = "\u0b47",
        [0xbbe] = "\u0bc6\u0bc7",
        [0xbd7] = "\u0b92\u0bc6",
        [0xc56] = "\u0c46",
        [0xcc2] = "\u0cc6",
        [0xcd5] = "\u0cbf\u0cc6\u0cca",
        [0xcd6] = "\u0cc6",
        [0xd3e] = "\u0d46\u0d47",
        [0xd57] = "\u0d46",
        [0xdca] = "\u0dd9\u0ddc",
        [0xdcf] = "\u0dd9",
        [0xddf] = "\u0dd9",
        [0x102e] = "\u1025",
        [0x1b35] = "\u1b05\u1b07\u1b09\u1b0b\u1b0d\u1b11\u1b3a\u1b3c\u1b3e\u1b3f\u1b42",
    };

    /// <summary>Whether a character is a letter, a digit, or a mark of a script, that may follow another one.</summary>
    /// <param name="character">The character.</param>
    /// <param name="before">The one before it; null at the start.</param>
    public static bool IsLetterOrDigit(Rune character, Rune? before) => Rune.GetUnicodeCategory(character) switch
    {
        UnicodeCategory.UppercaseLetter or UnicodeCategory.LowercaseLetter or UnicodeCategory.TitlecaseLetter
            or UnicodeCategory.ModifierLetter or UnicodeCategory.OtherLetter => !IsDecomposed(character),
        UnicodeCategory.DecimalDigitNumber => true,
        UnicodeCategory.NonSpacingMark or UnicodeCategory.SpacingCombiningMark =>
            character.IsBmp && before is { } letter && !IsDecomposed(character) && !IsPair(letter, character),
        _ => false,
    };

    private static bool IsDecomposed(Rune character) =>
        Array.Exists(Decomposed, range => character.Value >= range.First && character.Value <= range.Last);

    private static bool IsPair(Rune before, Rune mark) =>
        before.IsBmp && Pairs.TryGetValue(mark.Value, out var letters) && letters.Contains((char)before.Value);
}
