using System.Runtime.CompilerServices;
using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Reads the frames of one subscription, over as many connections as it takes.</summary>
internal sealed class FrameReader(DaemonTransport transport, ConnectOptions connect, CurrentMatch current, SubscribeOptions options)
{
    private readonly Backoff _backoff = new(transport.Address, connect.ReconnectTimeout, connect.Wait, TimeProvider.System);

    /// <summary>Reads until the last match ends, or the daemon shuts down.</summary>
    /// <param name="matchEnded">Called when a match is over that another one may follow; null: nothing is.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async IAsyncEnumerable<GameFrame> ReadAsync(
        Func<MatchEnded, ValueTask>? matchEnded, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var request = new ResumedRequest(options);
        var gaps = new GapCounter(options.EveryGameLoops);
        using var payloads = new PayloadDecoder(options.MaxFrameBytes);
        Lazy<Match>? match = null;
        var tracker = new UnitEventTracker(() => StructureTypes.Of(match?.Value.GameData));
        var state = new FrameState(new FrameContent(payloads, tracker));
        for (var reconnected = false; ; reconnected = true)
        {
            using var connection = await OpenAsync(request, cancellationToken).ConfigureAwait(false);
            if (connection is null) yield break;
            Begin();
            var stream = new FrameStream(connection, options, state);
            while (await NextAsync(stream, cancellationToken).ConfigureAwait(false) is { } kind)
            {
                if (kind == ServerMessage.MessageOneofCase.End) yield break;
                _backoff.Succeed();
                if (kind != ServerMessage.MessageOneofCase.Frame)
                {
                    if (kind == ServerMessage.MessageOneofCase.Match) Begin();
                    else if (matchEnded is not null) await matchEnded(stream.Ended!).ConfigureAwait(false);
                    continue;
                }
                gaps.Check(state, reconnected);
                reconnected = false;
                current.Reach(state);
                var frame = new GameFrame(state);
                state.Content.Track(frame);
                yield return frame;
                if (!request.Continue(state)) yield break;
                await stream.AcknowledgeAsync(cancellationToken).ConfigureAwait(false);
            }

            void Begin()
            {
                match = connection.Match;
                current.Begin(connection);
                request.Begin(connection.RunId);
            }
        }
    }

    private async ValueTask<DaemonConnection?> OpenAsync(ResumedRequest request, CancellationToken cancellationToken)
    {
        while (true)
        {
            TimeSpan delay;
            try
            {
                var connection = await transport.SubscribeAsync(request.Message, options.IsJson, cancellationToken).ConfigureAwait(false);
                return Checked(connection, request.Message);
            }
            catch (DaemonStoppingException)
            {
                return null;
            }
            catch (RequestException e) when (request.Adapt(e))
            {
                continue;
            }
            catch (BrokenConnectionException e)
            {
                delay = _backoff.Fail(e);
            }
            await Task.Delay(delay, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>The connection, unless its daemon has read over what it does not know.</summary>
    private static DaemonConnection Checked(DaemonConnection connection, SubscribeRequest request)
    {
        if (connection.CanFollow || (!request.Follow && request.RunId.Length == 0)) return connection;
        connection.Dispose();
        throw OldDaemon.Refusal();
    }

    /// <summary>What came: a frame, the end, or what lies between two matches; null: the connection broke, and it is time to try
    /// again.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ServerMessage.MessageOneofCase?> NextAsync(FrameStream stream, CancellationToken cancellationToken)
    {
        TimeSpan delay;
        try
        {
            return await stream.NextAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (BrokenConnectionException e)
        {
            delay = _backoff.Fail(e);
        }
        await Task.Delay(delay, cancellationToken).ConfigureAwait(false);
        return null;
    }
}
