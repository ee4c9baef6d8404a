using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace Abathur.Sync.Access;

/// <summary>Which addresses the daemon may listen on: those of this machine's loopback only.</summary>
internal static class ListenAddress
{
    public const string Default = "127.0.0.1";

    /// <summary>Reads an address; false with the reason where it is none, or would open the daemon to the network.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out IPAddress? address, out string problem)
    {
        problem = "";
        if (text == "localhost") text = Default;
        if (!IPAddress.TryParse(text, out address))
        {
            problem = $"\"{text}\" is not an IP address";
            return false;
        }
        if (IPAddress.IsLoopback(address)) return true;
        problem = $"{address} is not a loopback address. Whoever reaches the daemon can read the match, so it listens on 127.0.0.1 only";
        return false;
    }
}
