using Abathur.Client.Nats.Wire;
using Abathur.Sync.Hub;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports;
using Abathur.Sync.V1;
using NATS.Client.JetStream;

namespace Abathur.Sync.Relay;

/// <summary>Publishes the match of a daemon to NATS, unopened, and passes requests of readers to the daemon.</summary>
/// <param name="servers">The connection to NATS.</param>
/// <param name="daemon">The daemon.</param>
/// <param name="name">Name of the match on NATS; null: its id.</param>
/// <param name="options">How the match is kept.</param>
/// <param name="say">Tells the user something.</param>
/// <param name="clock">Clock of all times.</param>
internal sealed class MatchRelay(
    NatsServers servers, IRelayedDaemon daemon, string? name, RelayOptions options, Action<string> say, TimeProvider clock)
{
    /// <summary>Frames that may wait in the daemon.</summary>
    private const int BufferFrames = 1024;
    private const int EndAttempts = 40;

    /// <summary>How often the entry in the directory is renewed, and its constant data, which the bucket keeps for a day.</summary>
    private static readonly TimeSpan RenewEntry = TimeSpan.FromSeconds(5), RenewInfo = TimeSpan.FromHours(6);

    /// <summary>Delay before another attempt after a failure of the servers or of the daemon.</summary>
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(250);

    /// <summary>How long the daemon, or the servers, may be away; and after what readers are told.</summary>
    private static readonly TimeSpan GiveUpAfter = TimeSpan.FromSeconds(30), TellAfter = TimeSpan.FromSeconds(2);

    /// <summary>How long a relay that is stopped may take to say so.</summary>
    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(2);

    /// <summary>The end where the daemon has ended: no match follows.</summary>
    public const string Stopped = "CANCELLED";

    /// <summary>Called with the name of the match when its readers are answered.</summary>
    public Action<string> Ready { get; init; } = static _ => { };

    /// <summary>Matches before it on the same name.</summary>
    public IReadOnlyList<FormerRun> Former { get; init; } = [];

    /// <summary>The match in short, for those after it on the same name; null before it has begun.</summary>
    public FormerRun? Run => _directory is null ? null : new FormerRun(_match, _directory.State.State, _directory.Newest?.GameLoop ?? 0);

    private readonly SubscribeRequest _request = new()
    {
        Policy = Policy.Every,
        Encoding = Encoding.Columns,
        Compression = V1.Compression.ZstdStream,
        BufferFrames = BufferFrames,
        Name = "relay",
    };

    private string _name = name ?? "";

    /// <summary>Sequence of the newest frame that the daemon has been known to have.</summary>
    private ulong _newest;
    private Match _match = new();
    private MatchStream _stream = null!;
    private RelayDirectory _directory = null!;
    private ulong _frames;
    private ulong _lastCounted;
    private string _told = "";

    /// <summary>The run that requests to the daemon name; empty: it knows one match only.</summary>
    public static string RunOf(Match match) => match.BeganUnixNs == 0 ? "" : match.RunId;

    /// <summary>Publishes until the match is over, or the daemon shuts down. Returns why the match broke off; null: it did not.</summary>
    /// <exception cref="RelayException">The daemon does not answer, or the servers refuse what a relay needs.</exception>
    public async Task<string?> RunAsync(CancellationToken stop)
    {
        if (await WaitForMatchAsync(stop) is not { } match) return null;
        _match = match;
        if (_name.Length == 0) _name = RelayServers.NameOf(_match.MatchId);
        _stream = new MatchStream(servers, _name);
        if (await AgainUntilItAnswersAsync(() => servers.HasRelayAsync(_name, ifSilent: false, stop), stop))
        {
            throw new RelayException(
                $"the match '{_name}' has a relay already; if this is another match, name it with --match NAME");
        }
        var bucket = await AgainUntilItAnswersAsync(() => CreateAsync(stop), stop);
        using var over = CancellationTokenSource.CreateLinkedTokenSource(stop);
        var requests = new ReaderRequests(servers, _name, _match, daemon, clock);
        _directory = new RelayDirectory(servers, bucket, _name, _match, clock) { Readers = () => requests.Readers, Former = Former };
        var isReady = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var beside = new List<Task> { requests.RunAsync(() => isReady.TrySetResult(), over.Token) };
        try
        {
            await await Task.WhenAny(isReady.Task, beside[0]);
            await TryPutAsync(withInfo: true, stop);
            beside.Add(KeepEntryAsync(over.Token));
            beside.Add(MatchStream.SweepAsync(servers, over.Token));
            Ready(_name);
            say($"{_name}: relaying {(_match.MapName.Length > 0 ? _match.MapName : "a match")} from {daemon.Place}");
            var (end, reason) = await PublishAsync(stop);
            return await FinishAsync(end, reason, stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            _directory.State = ("lost", "the relay was stopped");
            using var limit = new CancellationTokenSource(StopTimeout, clock);
            await TryPutAsync(withInfo: false, limit.Token);
            throw;
        }
        catch (Exception e) when (e is ServersLostException || NatsServers.IsLost(e, stop))
        {
            throw new RelayException($"NATS: {NatsServers.ReasonOf(e)}", e);
        }
        finally
        {
            await over.CancelAsync();
            await Task.WhenAll(beside).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>The match, as soon as there is one; null: the daemon shuts down without one.</summary>
    private async Task<Match?> WaitForMatchAsync(CancellationToken stop)
    {
        var start = clock.GetTimestamp();
        while (true)
        {
            try
            {
                return await daemon.MatchAsync(stop);
            }
            catch (DaemonLostException e)
            {
                if (clock.GetElapsedTime(start) > GiveUpAfter)
                    throw new RelayException($"cannot connect to {daemon.Place}: {e.Message}. Is the daemon running?", e);
            }
            catch (RefusedException e) when (e.Status == RequestStatus.Unavailable)
            {
                say($"{daemon.Place}: {e.Message}");
                return null;
            }
            catch (RefusedException e)
            {
                // Others may have asked for large answers at the same time.
                if (e.Status != RequestStatus.ResourceExhausted || clock.GetElapsedTime(start) > GiveUpAfter)
                    throw new RelayException($"{daemon.Place}: {e.Status.ToName()}: {e.Message}", e);
            }
            await Task.Delay(RetryDelay, clock, stop);
        }
    }

    /// <summary>Makes the bucket and the stream.</summary>
    private async Task<NATS.Client.KeyValueStore.INatsKVStore> CreateAsync(CancellationToken stop)
    {
        try
        {
            var bucket = await RelayDirectory.OpenAsync(servers, options.Replicas, stop);
            await _stream.CreateAsync(options, stop);
            return bucket;
        }
        catch (NatsJSApiException e)
        {
            throw new RelayException(
                $"JetStream refuses the stream of the match '{_name}', for which it reserves {options.MaxBytes / (1024 * 1024)} MB "
                    + $"(--match-mb) on {options.Replicas} servers (--replicas): {e.Error.Description}",
                e);
        }
    }

    /// <summary>Many relays may begin at once, or a cluster elect a leader.</summary>
    private async Task<T> AgainUntilItAnswersAsync<T>(Func<Task<T>> ask, CancellationToken stop)
    {
        var start = clock.GetTimestamp();
        while (true)
        {
            try
            {
                return await ask();
            }
            catch (ServersLostException e)
            {
                if (clock.GetElapsedTime(start) > GiveUpAfter)
                    throw new RelayException($"NATS does not make the stream of the match '{_name}': {e.Message}", e);
                Tell($"NATS: {e.Message}; tries again");
            }
            await Task.Delay(RetryDelay, clock, stop);
        }
    }

    /// <summary>Publishes until there is a reason to end: the name of a gRPC status, and a text.</summary>
    private async Task<(string Status, string Reason)> PublishAsync(CancellationToken stop)
    {
        while (true)
        {
            try
            {
                var end = await CopyAsync(stop);
                switch (end.Reason)
                {
                    case SubscriptionEndReason.MatchOver:
                        return (RequestStatus.Ok.ToName(), "the match is over");
                    case SubscriptionEndReason.Stopping:
                        return (RequestStatus.Cancelled.ToName(), end.Message);
                    case SubscriptionEndReason.SlowConsumer:
                        // Too slow for a live match: what was dropped is in the history.
                        Tell($"the daemon: {end.Message}; continues from its history");
                        break;
                    case SubscriptionEndReason.Closed:
                        break;
                    default:
                        return (end.Status().ToName(), end.Message);
                }
            }
            catch (ServersLostException e)
            {
                Tell($"NATS: {e.Message}; continues after the stored frames");
            }
            catch (DaemonLostException e)
            {
                if (!await IsBackAsync(stop))
                    return (RequestStatus.Unavailable.ToName(), $"the daemon does not answer: {e.Message}");
            }
            catch (RefusedException e)
            {
                if (e.Status == RequestStatus.Unavailable) return (RequestStatus.Cancelled.ToName(), e.Message);
                // A playback may have gone back since it was asked for the game loop.
                if (e.Status is not (RequestStatus.ResourceExhausted or RequestStatus.OutOfRange)) return (e.Status.ToName(), e.Message);
                Tell($"the daemon: {e.Message}; tries again");
            }
            await Task.Delay(RetryDelay, clock, stop);
        }
    }

    /// <summary>Appends frames to the stream after those that are stored, until they end and all are stored.</summary>
    private async Task<SubscriptionEnd> CopyAsync(CancellationToken stop)
    {
        var (position, last) = await WaitForStoredAsync(stop);
        var (first, loop, keyframe) = (last?.First ?? 0, last?.GameLoop ?? 0, 0UL);
        var request = await StartAfterAsync(last, stop);
        await using var writer = new StreamWriter(servers, _name, clock) { Stored = Count };
        using var reading = CancellationTokenSource.CreateLinkedTokenSource(stop, writer.Failed);
        SubscriptionEnd end;
        try
        {
            end = await daemon.ReadAsync(request, TakeAsync, reading.Token);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            // Throws why.
            await writer.FlushAsync(stop);
            throw;
        }
        await writer.FlushAsync(stop);
        return end;

        async ValueTask TakeAsync(RelayedFrame frame, CancellationToken cancellationToken)
        {
            if (last is not null && frame.Sequence <= last.Sequence)
                throw new ServersLostException($"frame {frame.Sequence} is stored already");
            _newest = Math.Max(_newest, frame.Sequence);
            // What was wrong is over.
            _told = "";
            position++;
            if (frame.IsKeyframe) keyframe = position;
            if (first == 0 || frame.GameLoop < loop) first = position;
            loop = frame.GameLoop;
            var stamp = new RelayStamp(_match.RunId, frame.Sequence, loop, position, keyframe, first);
            await writer.AppendAsync(stamp, frame.Message, cancellationToken);
        }
    }

    /// <summary>The newest position of the stream, and the newest message of this run; waits until the servers answer.</summary>
    private async Task<(ulong Position, RelayStamp? Last)> WaitForStoredAsync(CancellationToken stop)
    {
        while (true)
        {
            try
            {
                _newest = Math.Max(_newest, (await daemon.StatusAsync(RunOf(_match), stop)).FramesPublished);
                return await _stream.NewestAsync(_match.RunId, _newest, stop);
            }
            catch (ServersLostException e)
            {
                Tell($"NATS: {e.Message}; tries again");
            }
            await Task.Delay(RetryDelay, clock, stop);
            try
            {
                // An administrator may have deleted the stream.
                await CreateAsync(stop);
            }
            catch (Exception e) when (e is ServersLostException or NatsProblemException)
            {
                // The next attempt says it.
            }
        }
    }

    /// <summary>A subscription that begins after a stored frame; without one with the oldest that the daemon keeps; live where it keeps
    /// none.</summary>
    private async Task<SubscribeRequest> StartAfterAsync(RelayStamp? last, CancellationToken stop)
    {
        var request = _request.Clone();
        request.RunId = RunOf(_match);
        if ((await daemon.StatusAsync(RunOf(_match), stop)).History is not { } history) return request;
        // Nothing is stored, or a playback went back.
        if (last is null || (history.HasLastGameLoop && history.LastGameLoop < last.GameLoop)) request.StartOldest = true;
        else if (history.HasLastGameLoop) request.StartAfterGameLoop = last.GameLoop;
        return request;
    }

    /// <summary>Whether the daemon answers again; readers are told meanwhile.</summary>
    private async Task<bool> IsBackAsync(CancellationToken stop)
    {
        var (start, isTold) = (clock.GetTimestamp(), false);
        while (clock.GetElapsedTime(start) < GiveUpAfter)
        {
            try
            {
                var status = await daemon.StatusAsync(RunOf(_match), stop);
                // One that knows one match only may have another now.
                return status.Match?.RunId == _match.RunId;
            }
            catch (DaemonLostException e)
            {
                if (!isTold && clock.GetElapsedTime(start) > TellAfter)
                {
                    isTold = true;
                    Tell($"the daemon does not answer: {e.Message}");
                    await AppendEndAsync(RequestStatus.Unavailable.ToName(), $"the daemon does not answer: {e.Message}", stop);
                    _directory.State = ("lost", e.Message);
                }
            }
            catch (RefusedException)
            {
                return false;
            }
            await Task.Delay(RetryDelay, clock, stop);
        }
        return false;
    }

    /// <summary>Says at the end of the stream and in the directory why no frame follows.</summary>
    private async Task<string?> FinishAsync(string end, string reason, CancellationToken stop)
    {
        await AppendEndAsync(end, reason, stop);
        var state = end == RequestStatus.Ok.ToName() ? "ended" : end == RequestStatus.Cancelled.ToName() ? "stopped" : "lost";
        _directory.State = (state, reason);
        await TryPutAsync(withInfo: false, stop);
        say($"{_name}: {reason}; {_frames} frames relayed");
        return state == "lost" ? $"the match '{_name}' broke off: {reason}" : null;
    }

    private async Task AppendEndAsync(string end, string reason, CancellationToken stop)
    {
        for (var attempt = 0; attempt < EndAttempts; attempt++)
        {
            try
            {
                var (position, last) = await _stream.NewestAsync(_match.RunId, _newest, stop);
                if (last is null || last.End == end) return;
                await _stream.AppendEndAsync(last with { Position = position + 1, End = end }, reason, clock, stop);
                return;
            }
            catch (ServersLostException)
            {
                await Task.Delay(RetryDelay, clock, stop);
            }
        }
    }

    private async Task KeepEntryAsync(CancellationToken over)
    {
        var renewed = clock.GetTimestamp();
        while (true)
        {
            await Task.Delay(RenewEntry, clock, over);
            var withInfo = clock.GetElapsedTime(renewed) > RenewInfo;
            if (withInfo) renewed = clock.GetTimestamp();
            await TryPutAsync(withInfo, over);
        }
    }

    private async Task TryPutAsync(bool withInfo, CancellationToken cancellationToken)
    {
        try
        {
            if (withInfo) await _directory.PutInfoAsync(cancellationToken);
            await _directory.PutAsync(cancellationToken);
        }
        catch (Exception e) when (e is ServersLostException or NatsProblemException or OperationCanceledException)
        {
            // It is renewed soon, or not needed any more.
        }
    }

    /// <summary>Counts a frame that was stored: once, also if it was sent again because its acknowledgement was lost.</summary>
    private void Count(RelayStamp stamp)
    {
        _directory.Newest = stamp;
        if (stamp.Sequence <= _lastCounted) return;
        _lastCounted = stamp.Sequence;
        // The directory shows at once where the match is.
        if (_frames++ == 0) _ = TryPutAsync(withInfo: false, CancellationToken.None);
    }

    /// <summary>Says something once, until it changes.</summary>
    private void Tell(string text)
    {
        if (text != _told) say($"{_name}: {text}");
        _told = text;
    }
}
