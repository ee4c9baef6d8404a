using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;

namespace Abathur.Client.Nats.Wire;

/// <summary>The stream of a match, as a reader asks it. Not thread-safe.</summary>
/// <param name="servers">Where it is.</param>
/// <param name="match">Name of the match.</param>
internal sealed class StoredMatch(NatsServers servers, string match)
{
    private INatsJSStream? _stream;

    /// <summary>Positions of the first message that is kept and of the newest; the first is larger where the stream is empty.</summary>
    /// <exception cref="MatchMissingException">There is no such stream.</exception>
    /// <exception cref="ServersLostException">The servers do not answer.</exception>
    /// <exception cref="NatsProblemException">The user may not ask.</exception>
    public async Task<(ulong First, ulong Last)> RangeAsync(CancellationToken cancellationToken)
    {
        try
        {
            _stream = await servers.AskAsync(
                $"$JS.API.STREAM.INFO.{RelayNames.Stream(match)}",
                limit => servers.JetStream.GetStreamAsync(RelayNames.Stream(match), cancellationToken: limit), cancellationToken)
                .ConfigureAwait(false);
        }
        catch (NatsJSApiException e) when (e.Error.Code == 404)
        {
            throw new MatchMissingException(match);
        }
        catch (NatsJSApiException e)
        {
            throw new ServersLostException($"JetStream: {e.Error.Description}", e);
        }
        return (Math.Max(1, _stream.Info.State.FirstSeq), _stream.Info.State.LastSeq);
    }

    /// <summary>What a relay says of the message at a position; null: no relay has published it, or it is not kept.</summary>
    /// <exception cref="ServersLostException">The servers do not answer.</exception>
    /// <exception cref="NatsProblemException">The user may not ask.</exception>
    public async Task<RelayStamp?> StampAsync(ulong position, CancellationToken cancellationToken)
    {
        if (_stream is null) await RangeAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            var found = await servers.AskAsync(
                $"$JS.API.STREAM.MSG.GET.{RelayNames.Stream(match)}",
                limit => _stream!.GetAsync(new StreamMsgGetRequest { Seq = position }, limit), cancellationToken).ConfigureAwait(false);
            return RelayStamp.Of(Convert.FromBase64String(found.Message.Hdrs ?? ""), match, position);
        }
        catch (NatsJSApiException e) when (e.Error.Code == 404)
        {
            return null;
        }
        catch (NatsJSApiException e)
        {
            throw new ServersLostException($"JetStream: {e.Error.Description}", e);
        }
    }

    /// <summary>The position of the newest message, and the newest one of a relay; 0 and null where the stream is empty.</summary>
    /// <exception cref="ServersLostException">As of <see cref="StampAsync"/>.</exception>
    public async Task<(ulong Position, RelayStamp? Last)> NewestAsync(CancellationToken cancellationToken)
    {
        var (first, last) = await RangeAsync(cancellationToken).ConfigureAwait(false);
        return (last, await AtOrBeforeAsync(last, first, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>The oldest frame of the newest run that can be read: with its keyframe. Null: no frame is kept.</summary>
    /// <exception cref="ServersLostException">As of <see cref="StampAsync"/>.</exception>
    public async Task<RelayStamp?> OldestAsync(CancellationToken cancellationToken) =>
        (await EndsAsync(cancellationToken).ConfigureAwait(false)).Oldest;

    /// <summary>The first frame at or after a game loop.</summary>
    /// <returns>It, and null; or null, and why it is not kept.</returns>
    /// <exception cref="ServersLostException">As of <see cref="StampAsync"/>.</exception>
    public async Task<(RelayStamp? Found, string? Problem)> AtLoopAsync(uint gameLoop, CancellationToken cancellationToken)
    {
        var (oldest, newest) = await EndsAsync(cancellationToken).ConfigureAwait(false);
        if (oldest is null || newest is null) return (null, $"the match {match} has no frames yet");
        if (gameLoop < oldest.GameLoop || gameLoop > newest.GameLoop)
            return (null, $"game loop {gameLoop} is not kept; kept are {oldest.GameLoop} to {newest.GameLoop}");
        var first = await FirstAsync(oldest.Position, newest.Position, each => each.GameLoop >= gameLoop, cancellationToken)
            .ConfigureAwait(false);
        return (first, null);
    }

    /// <summary>The oldest frame of the newest run that can be read, and the newest message of a relay.</summary>
    private async Task<(RelayStamp? Oldest, RelayStamp? Newest)> EndsAsync(CancellationToken cancellationToken)
    {
        var (first, last) = await RangeAsync(cancellationToken).ConfigureAwait(false);
        if (await AtOrBeforeAsync(last, first, cancellationToken).ConfigureAwait(false) is not { } newest) return (null, null);
        // Positions of keyframes grow with positions.
        var found = await FirstAsync(Math.Max(first, newest.First), newest.Position, each => each.Keyframe >= first, cancellationToken)
            .ConfigureAwait(false);
        return (found is { End.Length: 0 } ? found : null, newest);
    }

    /// <summary>The first stamp that holds, by binary search: the last of the range does.</summary>
    private async Task<RelayStamp?> FirstAsync(ulong low, ulong high, Func<RelayStamp, bool> holds, CancellationToken cancellationToken)
    {
        RelayStamp? best = null;
        while (low <= high)
        {
            var middle = low + ((high - low) / 2);
            var found = await AtOrBeforeAsync(middle, low, cancellationToken).ConfigureAwait(false);
            if (found is null || !holds(found)) low = middle + 1;
            else (best, high) = (found, found.Position - 1);
        }
        return best;
    }

    private async Task<RelayStamp?> AtOrBeforeAsync(ulong position, ulong low, CancellationToken cancellationToken)
    {
        for (; position >= low && position > 0; position--)
        {
            if (await StampAsync(position, cancellationToken).ConfigureAwait(false) is { } found) return found;
        }
        return null;
    }
}
