using Abathur.Client.Nats.Wire;
using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;

namespace Abathur.Sync.Relay;

/// <summary>The stream of a match.</summary>
/// <param name="servers">Where it is.</param>
/// <param name="match">Name of the match.</param>
internal sealed class MatchStream(NatsServers servers, string match)
{
    /// <summary>There is a stream of this name, with other settings.</summary>
    public const int NameInUse = 10058;

    /// <summary>How many messages of others are passed over in search of one of a relay.</summary>
    private const int MaxForeign = 1000;
    private static readonly TimeSpan LongestDuplicateWindow = TimeSpan.FromMinutes(2);
    private readonly StoredMatch _stored = new(servers, match);

    /// <summary>Makes the stream, unless it exists.</summary>
    /// <exception cref="NatsJSApiException">It is refused.</exception>
    /// <exception cref="ServersLostException">The servers do not answer.</exception>
    public async Task CreateAsync(RelayOptions options, CancellationToken cancellationToken)
    {
        var settings = new StreamConfig(RelayNames.Stream(match), [RelayNames.Frames(match)])
        {
            Retention = StreamConfigRetention.Limits,
            Discard = StreamConfigDiscard.Old,
            MaxAge = options.Keep,
            MaxBytes = options.MaxBytes,
            DuplicateWindow = options.Keep < LongestDuplicateWindow ? options.Keep : LongestDuplicateWindow,
            Storage = options.InMemory ? StreamConfigStorage.Memory : StreamConfigStorage.File,
            NumReplicas = options.Replicas,
            DenyDelete = true,
        };
        try
        {
            await servers.AskAsync(
                $"$JS.API.STREAM.CREATE.{settings.Name}", limit => servers.JetStream.CreateStreamAsync(settings, limit), cancellationToken);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == NameInUse)
        {
            // The settings are those of the first relay that made it.
        }
    }

    /// <summary>The position of the newest message, and the newest message that this run of the daemon can have.</summary>
    /// <param name="run">The run.</param>
    /// <param name="newest">Sequence of its newest frame: what has a later one is not of it, whatever it says.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ServersLostException">The servers do not answer, or there is no stream.</exception>
    public async Task<(ulong Position, RelayStamp? Last)> NewestAsync(string run, ulong newest, CancellationToken cancellationToken)
    {
        try
        {
            var (first, last) = await _stored.RangeAsync(cancellationToken);
            for (var position = last; position >= first && last - position < MaxForeign; position--)
            {
                if (await _stored.StampAsync(position, cancellationToken) is { } stamp && stamp.Run == run && stamp.Sequence <= newest)
                    return (last, stamp);
            }
            return (last, null);
        }
        catch (MatchMissingException e)
        {
            throw new ServersLostException(e.Message, e);
        }
    }

    /// <summary>Appends a message that is no frame: why no frame follows.</summary>
    /// <param name="end">Its headers.</param>
    /// <param name="reason">Why.</param>
    /// <param name="clock">Clock of timeouts.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ServersLostException">It was not stored.</exception>
    public async Task AppendEndAsync(RelayStamp end, string reason, TimeProvider clock, CancellationToken cancellationToken)
    {
        await using var writer = new StreamWriter(servers, match, clock);
        await writer.AppendAsync(end, System.Text.Encoding.UTF8.GetBytes(reason), cancellationToken);
        await writer.FlushAsync(cancellationToken);
    }

    /// <summary>Removes the streams of matches that are over, when none of their frames is kept any more.</summary>
    public static async Task SweepAsync(NatsServers servers, CancellationToken cancellationToken)
    {
        try
        {
            var empty = new List<string>();
            await foreach (var stream in servers.JetStream.ListStreamsAsync(RelayNames.Frames("*"), cancellationToken))
            {
                if (stream.Info is { State: { Messages: 0, LastSeq: > 0 }, Config.Name: { } name }
                    && name.StartsWith(RelayNames.StreamPrefix, StringComparison.Ordinal))
                    empty.Add(name);
            }
            foreach (var name in empty)
            {
                // A playback can be paused: the stream stays where a relay serves it, or may do so.
                if (!await servers.HasRelayAsync(name[RelayNames.StreamPrefix.Length..], ifSilent: true, cancellationToken))
                    await servers.JetStream.DeleteStreamAsync(name, cancellationToken);
            }
        }
        catch (Exception e) when (e is ServersLostException or NatsProblemException || NatsServers.IsLost(e, cancellationToken))
        {
            // Without the right to list and delete streams, there are none to remove.
        }
    }
}
