using Abathur.Client.Nats.Wire;

namespace Abathur.Client.Nats;

/// <summary>What goes wrong on NATS, as the exceptions of a transport.</summary>
internal static class NatsFailure
{
    private const string HowToStart =
        "`abathur relay nats://HOST:PORT/MATCH` relays the match of a daemon; ConnectOptions.Wait waits for one that starts later";

    /// <summary>The exception of a transport; null where the servers have nothing to do with it.</summary>
    public static Exception? Of(Exception e) => e switch
    {
        MatchMissingException => Absent(e.Message, e),
        ServersLostException => new BrokenConnectionException($"NATS: {e.Message}", e),
        NatsProblemException problem => RequestException.OfRequest(problem.Code, problem.Message),
        _ => null,
    };

    /// <summary>No relay answers for a match.</summary>
    public static BrokenConnectionException NoRelay(string match) => Absent($"no relay serves the match '{match}'", null);

    private static BrokenConnectionException Absent(string reason, Exception? inner) =>
        new(reason, inner) { IsNothingThere = true, Advice = HowToStart };
}
