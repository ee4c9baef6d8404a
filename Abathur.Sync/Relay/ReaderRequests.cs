using System.Collections.Concurrent;
using Abathur.Client.Nats.Wire;
using Abathur.Sync.Access;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Grpc;
using Abathur.Sync.V1;
using Google.Protobuf;
using NATS.Client.Core;

namespace Abathur.Sync.Relay;

/// <summary>Passes requests of readers to the daemon, and counts the readers.</summary>
/// <param name="servers">Where the readers ask.</param>
/// <param name="match">Name of the match.</param>
/// <param name="about">The match, which requests mean that name no other.</param>
/// <param name="daemon">Answers.</param>
/// <param name="clock">Clock of the readers' silence.</param>
internal sealed class ReaderRequests(NatsServers servers, string match, Match about, IRelayedDaemon daemon, TimeProvider clock)
{
    /// <summary>Requests that are with the daemon at once, and those of watching that are.</summary>
    private const int MaxAtOnce = 64, MaxWatching = 32;

    /// <summary>Readers that are counted, and longest number that one has.</summary>
    private const int MaxReaders = 100_000, MaxNumberBytes = 64;

    /// <summary>Requests that have come and were not looked at.</summary>
    private const int MaxWaiting = 256;
    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(30), RetryDelay = TimeSpan.FromMilliseconds(250);

    /// <summary>When each reader has last said that it is there.</summary>
    private readonly ConcurrentDictionary<string, long> _readers = new();
    private readonly AnswerBudget _answers = AnswerBudget.OfProcess(clock);
    private int _atOnce;
    private int _watching;

    /// <summary>Readers that there are.</summary>
    public int Readers
    {
        get
        {
            foreach (var (reader, at) in _readers)
                if (clock.GetElapsedTime(at) > RelayNames.AwayAfter) _readers.TryRemove(reader, out _);
            return _readers.Count;
        }
    }

    /// <summary>Answers until it is cancelled. Subscribes again when a subscription ends: the match goes on, and its readers would take
    /// it for lost.</summary>
    /// <param name="ready">Called when requests are received.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async Task RunAsync(Action ready, CancellationToken cancellationToken)
    {
        var wasReady = false;
        while (true)
        {
            try
            {
                await ReceiveAsync(() => { wasReady = true; ready(); }, cancellationToken);
            }
            catch (Exception) when (wasReady && !cancellationToken.IsCancellationRequested)
            {
                // The frames that are not stored meanwhile tell the user.
            }
            await Task.Delay(RetryDelay, clock, cancellationToken);
        }
    }

    private async Task ReceiveAsync(Action ready, CancellationToken cancellationToken)
    {
        // One that does not fit is lost, and its reader waits in vain: who sends so many has only himself to blame.
        var options = new NatsSubOpts { ChannelOpts = new NatsSubChannelOpts { Capacity = MaxWaiting } };
        await using var watch = await servers.Connection.SubscribeCoreAsync<byte[]>(
            RelayNames.Watch(match, "*"), opts: options, cancellationToken: cancellationToken);
        await using var act = await servers.Connection.SubscribeCoreAsync<byte[]>(
            RelayNames.Act(match, "*"), opts: options, cancellationToken: cancellationToken);
        // The server has both when it has answered.
        await servers.Connection.PingAsync(cancellationToken);
        ready();
        // The other one ends with its subscription.
        await await Task.WhenAny(
            ReceiveAsync(watch, isWatching: true, cancellationToken), ReceiveAsync(act, isWatching: false, cancellationToken));
    }

    private async Task ReceiveAsync(INatsSub<byte[]> requests, bool isWatching, CancellationToken cancellationToken)
    {
        await foreach (var message in requests.Msgs.ReadAllAsync(cancellationToken))
        {
            var what = message.Subject[(message.Subject.LastIndexOf('.') + 1)..];
            if (isWatching && what == RelayNames.Here) await CountAsync(message, cancellationToken);
            else if (message.ReplyTo is not null && message.Headers is { } headers
                && headers.TryGetLastValue(RelayNames.RequestHeader, out var version) && version == RelayNames.RequestVersion)
                await BeginAsync(message, what, isWatching, cancellationToken);
        }
    }

    private async ValueTask CountAsync(NatsMsg<byte[]> message, CancellationToken cancellationToken)
    {
        if (message.ReplyTo is not null) await TryReplyAsync(message, [], null, cancellationToken);
        else if (message.Data is null or { Length: <= MaxNumberBytes } && _readers.Count < MaxReaders)
            _readers[Convert.ToBase64String(message.Data ?? [])] = clock.GetTimestamp();
    }

    private async ValueTask BeginAsync(NatsMsg<byte[]> message, string what, bool isWatching, CancellationToken cancellationToken)
    {
        var call = (isWatching ? RelayCall.OfWatchers : RelayCall.OfActors).GetValueOrDefault(what);
        if (call is null && !(isWatching && what == RelayCall.Match))
        {
            await RefuseAsync(message, RequestStatus.Unimplemented, $"there is no request '{what}'", cancellationToken);
        }
        else if (message.Data?.Length > GameSyncMethods.MaxActBytes)
        {
            await RefuseAsync(
                message, RequestStatus.ResourceExhausted, $"a request has at most {GameSyncMethods.MaxActBytes} bytes", cancellationToken);
        }
        else if (Volatile.Read(ref _atOnce) >= MaxAtOnce || (isWatching && Volatile.Read(ref _watching) >= MaxWatching))
        {
            await RefuseAsync(message, RequestStatus.ResourceExhausted, "too many requests at once", cancellationToken);
        }
        else
        {
            Interlocked.Increment(ref _atOnce);
            if (isWatching) Interlocked.Increment(ref _watching);
            _ = PassOnAsync(message, call, isWatching, cancellationToken);
        }
    }

    private async Task PassOnAsync(NatsMsg<byte[]> message, RelayCall? call, bool isWatching, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(RequestTimeout);
        try
        {
            var answer = call is null
                ? about
                : call.AnswerOf(await daemon.AnswerAsync(call.Parse(message.Data ?? [], MatchRelay.RunOf(about)), limit.Token));
            var bytes = answer.CalculateSize();
            using var room = _answers.Take(isWatching ? AccessLevel.Watch : AccessLevel.Act, bytes, static () => { });
            if (bytes > servers.MaxMessageBytes)
                throw new RefusedException(RequestStatus.ResourceExhausted, $"the answer of {bytes} bytes is too large for NATS");
            await TryReplyAsync(message, answer.ToByteArray(), null, cancellationToken);
        }
        catch (RefusedException e)
        {
            await RefuseAsync(message, e.Status, e.Message, cancellationToken);
        }
        catch (InvalidProtocolBufferException e)
        {
            await RefuseAsync(message, RequestStatus.InvalidArgument, e.Message, cancellationToken);
        }
        catch (DaemonLostException e)
        {
            await RefuseAsync(message, RequestStatus.Unavailable, e.Message, cancellationToken);
        }
        catch (OperationCanceledException)
        {
            await RefuseAsync(message, RequestStatus.DeadlineExceeded, "the daemon did not answer in time", cancellationToken);
        }
        finally
        {
            Interlocked.Decrement(ref _atOnce);
            if (isWatching) Interlocked.Decrement(ref _watching);
        }
    }

    private static ValueTask RefuseAsync(
        NatsMsg<byte[]> message, RequestStatus status, string reason, CancellationToken cancellationToken) =>
        TryReplyAsync(
            message, System.Text.Encoding.UTF8.GetBytes(reason), new NatsHeaders { [RelayNames.ErrorHeader] = status.ToName() },
            cancellationToken);

    private static async ValueTask TryReplyAsync(
        NatsMsg<byte[]> message, byte[] answer, NatsHeaders? headers, CancellationToken cancellationToken)
    {
        try
        {
            await message.ReplyAsync(answer, headers, cancellationToken: cancellationToken);
        }
        catch (Exception e) when (e is OperationCanceledException || NatsServers.IsLost(e, cancellationToken))
        {
            // The reader asks again.
        }
    }
}
