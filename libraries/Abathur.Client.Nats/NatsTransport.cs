using System.Runtime.CompilerServices;
using Abathur.Client.Nats.Wire;
using Abathur.Compression;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client.Nats;

/// <summary>One connection to the servers of NATS, for the frames of a match and for requests to its relay.</summary>
internal sealed class NatsTransport(NatsAddress address, ConnectOptions options) : DaemonTransport
{
    /// <summary>Largest match after decompression, in bytes.</summary>
    private const int MaxMatchBytes = 64 * 1024 * 1024;

    private readonly SemaphoreSlim _opening = new(1);
    private readonly string _match = address.Match!;
    private NatsServers? _servers;
    private volatile bool _isDisposed;

    /// <summary>Where each subscription is: one that breaks continues there.</summary>
    private readonly ConditionalWeakTable<SubscribeRequest, ReaderPlace> _places = [];

    /// <inheritdoc/>
    public override string Address { get; } = $"{address}/{address.Match}";

    /// <inheritdoc/>
    public override Task CheckAsync(CancellationToken cancellationToken) => TranslatedAsync(async () =>
    {
        var servers = await ServersAsync(cancellationToken).ConfigureAwait(false);
        var (_, last) = await new StoredMatch(servers, _match).RangeAsync(cancellationToken).ConfigureAwait(false);
        // A relay makes the stream first, and answers a little later. Without a relay, what is stored can be read.
        if (last > 0 || await servers.HasRelayAsync(_match, ifSilent: false, cancellationToken).ConfigureAwait(false)) return true;
        throw NatsFailure.NoRelay(_match);
    });

    /// <inheritdoc/>
    public override Task<DaemonConnection> SubscribeAsync(SubscribeRequest request, bool isJson, CancellationToken cancellationToken)
    {
        if (request.Policy == Policy.Lockstep)
        {
            throw new RequestException(
                RequestErrorCode.Unimplemented, "the policy lockstep needs a connection to the daemon itself, not to NATS");
        }
        // One that follows names its match when it comes back.
        if (!request.Follow && request.RunId.Length > 0)
        {
            throw new RequestException(
                RequestErrorCode.Unimplemented,
                "RunId needs a connection to the daemon itself: a reader on NATS gets the newest match of a name");
        }
        if (request.FieldMask is { Paths.Count: > 0 })
            throw new RequestException(RequestErrorCode.Unimplemented, "a match on NATS has all fields: subscribe without Fields");
        return TranslatedAsync(async () =>
        {
            var servers = await ServersAsync(cancellationToken).ConfigureAwait(false);
            var stored = new StoredMatch(servers, _match);
            var place = await PlaceAsync(servers, stored, request, cancellationToken).ConfigureAwait(false);
            var match = await InfoAsync(servers, cancellationToken).ConfigureAwait(false);
            if (place is null) return new EndedSubscription(match);
            _places.AddOrUpdate(request, place);
            return (DaemonConnection)new NatsSubscription(
                servers, stored, _match, request, place, match, limit => InfoAsync(servers, limit));
        });
    }

    /// <inheritdoc/>
    public override Task<Result> RequestAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        if (message.Matches is not null)
        {
            throw new RequestException(
                RequestErrorCode.Unimplemented,
                "the matches of a daemon need a connection to the daemon itself; `abathur matches nats://HOST:PORT` lists those on NATS");
        }
        var request = RelayRequest.Of(message)
            ?? throw new RequestException(RequestErrorCode.Unimplemented, $"a relay does not answer {message.MessageCase}");
        return TranslatedAsync(async () => request.ResultOf(await CallAsync(request, cancellationToken).ConfigureAwait(false)));
    }

    /// <inheritdoc/>
    public override Task<Lazy<Match>> MatchAsync(string runId, CancellationToken cancellationToken) => TranslatedAsync(async () =>
    {
        var servers = await ServersAsync(cancellationToken).ConfigureAwait(false);
        // Fails at once if the name is wrong.
        await new StoredMatch(servers, _match).RangeAsync(cancellationToken).ConfigureAwait(false);
        return await InfoAsync(servers, cancellationToken).ConfigureAwait(false)
            ?? throw new BrokenConnectionException($"nothing is known of the match '{_match}': neither the directory nor a relay has it");
    });

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        // Connections that are being made are closed by who makes them.
        _isDisposed = true;
        Close(Interlocked.Exchange(ref _servers, null));
    }

    private static void Close(NatsServers? servers)
    {
        if (servers is not null) _ = servers.DisposeAsync().AsTask();
    }

    private async Task<NatsServers> ServersAsync(CancellationToken cancellationToken)
    {
        await _opening.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(AbathurGame));
            if (_servers is { } known) return known;
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            limit.CancelAfter(options.ConnectTimeout);
            try
            {
                _servers = await NatsServers.ConnectAsync(address, "abathur reader", RelayNames.ReaderInbox(_match), limit.Token)
                    .ConfigureAwait(false);
            }
            catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
            {
                throw new ServersLostException($"no connection within {options.ConnectTimeout.TotalSeconds:g} s", e);
            }
            catch (ServersLostException e)
            {
                throw new BrokenConnectionException(e.Message, e) { IsNothingThere = true, Advice = "Is the server running?" };
            }
            if (_isDisposed) Dispose(true);
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(AbathurGame));
            return _servers;
        }
        finally
        {
            _opening.Release();
        }
    }

    private async Task<byte[]> CallAsync(RelayRequest request, CancellationToken cancellationToken)
    {
        var servers = await ServersAsync(cancellationToken).ConfigureAwait(false);
        var subject = request.IsActing ? RelayNames.Act(_match, request.What) : RelayNames.Watch(_match, request.What);
        var answer = await servers.RequestAsync(subject, request.Body.ToByteArray(), options.RequestTimeout, cancellationToken)
            .ConfigureAwait(false)
            ?? throw new BrokenConnectionException($"no relay serves the match '{_match}'");
        if (answer.Headers is { } headers && headers.TryGetLastValue(RelayNames.ErrorHeader, out var code))
            throw RequestException.OfRequest(code, System.Text.Encoding.UTF8.GetString(answer.Data ?? []));
        return answer.Data ?? [];
    }

    /// <summary>The constant data of the match, from the directory or, if its relay has just begun, from that; null: neither has
    /// it.</summary>
    private async Task<Lazy<Match>?> InfoAsync(NatsServers servers, CancellationToken cancellationToken)
    {
        var subject = $"$JS.API.DIRECT.GET.KV_{RelayNames.Bucket}.$KV.{RelayNames.Bucket}.{RelayNames.InfoKey(_match)}";
        var answer = await servers.RequestAsync(subject, [], options.RequestTimeout, cancellationToken).ConfigureAwait(false);
        // Without the entry, the server answers with a status and without data.
        if (answer?.Data is { Length: > 0 } data) return new Lazy<Match>(() => MatchOf(data));
        answer = await servers.RequestAsync(RelayNames.Watch(_match, "match"), [], options.RequestTimeout, cancellationToken)
            .ConfigureAwait(false);
        var isMatch = answer is { Headers: var headers } && headers?.ContainsKey(RelayNames.ErrorHeader) != true;
        return isMatch ? new Lazy<Match>(() => ParsedMatch(answer!.Value.Data)) : null;
    }

    private Match MatchOf(byte[] compressed)
    {
        try
        {
            using var stream = new ZstdDecompressionStream(new MemoryStream(compressed));
            var plain = new byte[64 * 1024];
            var length = 0;
            for (int count; (count = stream.Read(plain.AsSpan(length))) > 0;)
            {
                length += count;
                if (length > MaxMatchBytes) throw new CompressionException($"it has more than {MaxMatchBytes} bytes");
                if (length == plain.Length) Array.Resize(ref plain, 2 * length);
            }
            return ParsedMatch(plain.AsSpan(0, length));
        }
        catch (Exception e) when (e is CompressionException or InvalidDataException)
        {
            throw Unreadable(e);
        }
    }

    private Match ParsedMatch(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return Match.Parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw Unreadable(e);
        }
    }

    private ProtocolException Unreadable(Exception e) =>
        new($"the constant data of the match '{_match}' cannot be read: {e.Message}", e);

    /// <summary>Where a subscription begins; null: the match is over, and it begins after that.</summary>
    private async Task<ReaderPlace?> PlaceAsync(
        NatsServers servers, StoredMatch stored, SubscribeRequest request, CancellationToken cancellationToken)
    {
        var isBroken = false;
        ReaderPlace? place = null;
        if (_places.TryGetValue(request, out var before))
        {
            var (_, last) = await stored.NewestAsync(cancellationToken).ConfigureAwait(false);
            // A stream that was deleted, and made again, has other positions.
            // Who follows reads what is stored of its match, also if another one has begun.
            isBroken = last is not null && (last.Run == before.Run || request.Follow) && last.Position >= before.After;
            if (isBroken) place = before;
        }
        if (!isBroken) place = await FirstPlaceAsync(servers, stored, request, cancellationToken).ConfigureAwait(false);
        if (!isBroken && place is not null) place.Before = before is { Sequence: { } sequence } ? (before.Run, sequence) : before?.Before;
        var isLive = request.StartCase == SubscribeRequest.StartOneofCase.None;
        // With a start, each frame that is stored already comes before the policy leaves some out.
        if (place is not null && !isLive) place.LiveFrom = (await stored.RangeAsync(cancellationToken).ConfigureAwait(false)).Last;
        var needsRelay = isBroken || isLive;
        if (place is null || !needsRelay) return place;
        if (await servers.HasRelayAsync(_match, ifSilent: false, cancellationToken).ConfigureAwait(false)) return place;
        throw NatsFailure.NoRelay(_match);
    }

    private async Task<ReaderPlace?> FirstPlaceAsync(
        NatsServers servers, StoredMatch stored, SubscribeRequest request, CancellationToken cancellationToken)
    {
        if (request.HasStartGameLoop || request.HasStartAfterGameLoop)
        {
            var loop = request.HasStartGameLoop ? request.StartGameLoop : request.StartAfterGameLoop + 1;
            var (found, problem) = await stored.AtLoopAsync(loop, cancellationToken).ConfigureAwait(false);
            return found is null
                ? throw new RequestException(RequestErrorCode.OutOfRange, problem!)
                : new ReaderPlace { Decode = found.Keyframe, After = found.Position - 1 };
        }
        ulong? lookedTo = null;
        if (request.StartOldest)
        {
            lookedTo = (await stored.RangeAsync(cancellationToken).ConfigureAwait(false)).Last;
            if (await stored.OldestAsync(cancellationToken).ConfigureAwait(false) is { } oldest)
                return new ReaderPlace { Decode = oldest.Keyframe, After = oldest.Keyframe - 1 };
        }
        var (newest, last) = await stored.NewestAsync(cancellationToken).ConfigureAwait(false);
        if (last is null) return new ReaderPlace { Decode = newest + 1, After = newest };
        if (last.End.Length > 0)
        {
            var isOver = !request.Follow && NatsSubscription.IsOrderly(last.End);
            return isOver && !await servers.HasRelayAsync(_match, ifSilent: false, cancellationToken).ConfigureAwait(false)
                ? null
                : new ReaderPlace { Decode = last.Position + 1, After = last.Position };
        }
        // The oldest frame was stored after it was looked for.
        if (last.Keyframe > lookedTo) return new ReaderPlace { Decode = lookedTo.Value + 1, After = lookedTo.Value };
        return new ReaderPlace { Decode = last.Keyframe, After = request.Newest ? last.Position - 1 : last.Position };
    }

    /// <summary>With the exceptions of a transport.</summary>
    private static async Task<T> TranslatedAsync<T>(Func<Task<T>> work)
    {
        try
        {
            return await work().ConfigureAwait(false);
        }
        catch (Exception e) when (NatsFailure.Of(e) is { } failure)
        {
            throw failure;
        }
    }
}
