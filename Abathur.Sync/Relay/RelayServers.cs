using Abathur.Client.Nats.Wire;
using Abathur.Sync.Hosting;

namespace Abathur.Sync.Relay;

/// <summary>The connection of a relay to its servers.</summary>
internal static class RelayServers
{
    /// <summary>Connects to one of the servers.</summary>
    /// <exception cref="RelayException">No server answers, or the login is refused.</exception>
    public static async Task<NatsServers> ConnectAsync(NatsAddress address, CancellationToken cancellationToken)
    {
        try
        {
            return await NatsServers.ConnectAsync(address, "abathur relay", RelayNames.RelayInbox, cancellationToken);
        }
        catch (ServersLostException e)
        {
            throw new RelayException($"cannot connect to {address}: {e.Message}. Is the server running?", e);
        }
        catch (NatsProblemException e)
        {
            throw new RelayException($"cannot connect to {address}: {e.Message}", e);
        }
    }

    /// <summary>The name on NATS of a match without a given one: its id, with <c>-</c> for characters that a name cannot have.</summary>
    public static string NameOf(string matchId) => LocalMatch.ToName(matchId).Trim('-') is { Length: > 0 } name ? name : "match";
}
