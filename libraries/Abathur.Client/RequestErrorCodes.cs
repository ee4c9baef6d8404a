namespace Abathur.Client;

/// <summary>The codes by their names on the wire.</summary>
internal static class RequestErrorCodes
{
    private static readonly Dictionary<string, RequestErrorCode> ByName =
        Enum.GetValues<RequestErrorCode>().ToDictionary(code => NameOf(code.ToString()), StringComparer.Ordinal);

    /// <summary>The code of a name, e.g. <c>InvalidArgument</c>.</summary>
    public static RequestErrorCode Parse(string name) => ByName.GetValueOrDefault(name);

    /// <summary>The name on the wire of a member of an enum, e.g. of <c>InvalidArgument</c>.</summary>
    public static string NameOf(string member) => string.Concat(
        member.Select((letter, i) => i > 0 && char.IsUpper(letter) ? $"_{letter}" : $"{char.ToUpperInvariant(letter)}"));
}
