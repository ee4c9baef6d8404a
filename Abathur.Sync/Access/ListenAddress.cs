using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace Abathur.Sync.Access;

/// <summary>Where the daemon listens, as text.</summary>
internal static class ListenAddress
{
    public const string Default = "127.0.0.1";

    /// <summary>Reads an address; false with the reason if it is invalid.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out IPAddress? address, out string problem)
    {
        problem = "";
        if (text == "localhost") text = Default;
        if (IPAddress.TryParse(text, out address)) return true;
        problem = $"\"{text}\" is not an IP address";
        return false;
    }
}
