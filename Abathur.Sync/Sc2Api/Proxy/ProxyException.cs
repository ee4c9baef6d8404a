namespace Abathur.Sync.Sc2Api.Proxy;

/// <summary>A bot and its game cannot be brought together.</summary>
/// <param name="message">Why.</param>
/// <param name="isQuiet">Whether nobody needs to be told: it was no bot.</param>
internal sealed class ProxyException(string message, bool isQuiet) : Exception(message)
{
    public bool IsQuiet => isQuiet;
}
