using Abathur.Grpc;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.GameSync;

/// <summary><c>abathur.sync.v1.GameSync</c> over gRPC.</summary>
public sealed class GameSyncService
{
    /// <summary>Trailing metadata of a stream that ends because the daemon shuts down: with it, clients tell that from a connection that broke, which is UNAVAILABLE as well.</summary>
    private const string EndKey = "abathur-end";
    private const string Stopping = "stopping";

    /// <summary>Largest request to act or draw, and largest message of a session that may.</summary>
    private const int MaxActBytes = 1024 * 1024;

    /// <summary>Largest message of a session whose token is in it.</summary>
    private const int MaxUnauthenticatedBytes = 16 * 1024;

    /// <summary>Sessions at once whose token has not come yet.</summary>
    private const int MaxUnauthenticatedSessions = 256;

    private readonly SyncApi _api;
    private int _unauthenticatedSessions;

    public GameSyncService(SyncApi api)
    {
        _api = api;
        Service = new GrpcService("abathur.sync.v1.GameSync", SyncReflection.Descriptor)
            .Unary("GetMatch", GetMatchRequest.Parser, async (request, call) => await api.GetMatchAsync(request, LevelOf(call), call.Cancellation), For(AccessLevel.Watch))
            .Unary("GetStatus", GetStatusRequest.Parser, (_, call) => ValueTask.FromResult(api.GetStatus(LevelOf(call))), For(AccessLevel.Watch))
            .Unary("Act", ActRequest.Parser, async (request, call) => await api.ActAsync(request, LevelOf(call), call.Cancellation), For(AccessLevel.Act, MaxActBytes))
            .Unary("Draw", DrawRequest.Parser, (request, call) => ValueTask.FromResult(_api.Draw(request, LevelOf(call))), For(AccessLevel.Act, MaxActBytes))
            .Unary("Control", ControlRequest.Parser, async (request, call) => await api.ControlAsync(request, LevelOf(call), call.Cancellation), For(AccessLevel.Act))
            .ServerStreaming("Subscribe", SubscribeRequest.Parser, SubscribeAsync, For(AccessLevel.Watch))
            .ClientStreaming("Publish", PublishAsync, For(AccessLevel.Act, Publication.MaxMessageBytes))
            .Bidirectional("Session", SessionAsync, new GrpcMethodOptions { Authorize = AuthorizeSession });
    }

    public GrpcService Service { get; }

    private async Task SubscribeAsync(SubscribeRequest request, GrpcCall call)
    {
        using var subscription = _api.Subscribe(request, TransportTraits.GrpcSubscribe, call.Peer, LevelOf(call));
        await using var closing = call.Cancellation.Register(subscription.Close);
        await using var aborting = subscription.Aborted.Register(call.Reset);
        await call.SendHeadersAsync();
        ThrowUnlessOver(await SendFramesAsync(subscription, call), call);
    }

    private static async Task<SubscriptionEnd> SendFramesAsync(Subscription subscription, GrpcCall call)
    {
        var body = call.BodyWriter;
        for (var inARow = 0; ;)
        {
            if (subscription.TryTake(out var frame, out var missed))
            {
                var bytes = frame.MeasureFrame(missed);
                GrpcCall.WritePrefix(body, (uint)bytes);
                frame.WriteFrame(body, missed);
                frame.Release();
                subscription.CountSent(GrpcCall.PrefixBytes + bytes);
                if (!await call.FlushAsync()) subscription.Close();
                if (++inARow % Subscription.FramesInATurn == 0) await Task.Yield();
            }
            else if (subscription.End is { } end)
            {
                return end;
            }
            else
            {
                await subscription.WaitAsync();
                inARow = 0;
            }
        }
    }

    private async ValueTask<PublishResult> PublishAsync(GrpcCall call)
    {
        using var publication = await _api.PublishAsync(LevelOf(call), call.Cancellation);
        while (await call.ReadAsync() is { } request) await publication.AddAsync(request);
        return publication.Finish();
    }

    private async Task SessionAsync(GrpcCall call)
    {
        var first = await ReadFirstAsync(call);
        if (first?.Subscribe is null) throw new GrpcException(GrpcStatusCode.InvalidArgument, "the first message must be subscribe");
        var level = LevelOf(call, first.Token);
        if (level >= AccessLevel.Act) call.MaxReceiveMessageBytes = MaxActBytes;
        using var subscription = _api.Subscribe(first.Subscribe, TransportTraits.GrpcSession, call.Peer, level);
        await using var aborting = subscription.Aborted.Register(call.Reset);
        // The match may be long in coming: until then they show that the daemon is alive.
        await call.SendHeadersAsync();
        var wire = new GrpcSessionWire(call);
        wire.Write(new ServerMessage { Match = await WaitForMatchAsync(call) });
        ThrowUnlessOver(await new SyncSession(_api, wire, subscription, level).RunAsync(call.Cancellation), call);
    }

    /// <summary>The first message of a session, which may have the token in it: until that is known, little is held, for few.</summary>
    private async ValueTask<ClientMessage?> ReadFirstAsync(GrpcCall call)
    {
        if (LevelOf(call) != AccessLevel.None) return await call.ReadAsync(ClientMessage.Parser);
        var laterLimit = call.MaxReceiveMessageBytes;
        call.MaxReceiveMessageBytes = MaxUnauthenticatedBytes;
        try
        {
            if (Interlocked.Increment(ref _unauthenticatedSessions) > MaxUnauthenticatedSessions)
            {
                throw new GrpcException(GrpcStatusCode.ResourceExhausted, $"{MaxUnauthenticatedSessions} sessions have not shown a token yet: send it in the metadata \"authorization\"");
            }
            return await call.ReadAsync(ClientMessage.Parser);
        }
        finally
        {
            Interlocked.Decrement(ref _unauthenticatedSessions);
            call.MaxReceiveMessageBytes = laterLimit;
        }
    }

    private GrpcMethodOptions For(AccessLevel needed, int? maxBytes = null) =>
        new() { MaxReceiveMessageBytes = maxBytes, Authorize = call => SyncApi.Require(needed, LevelOf(call)) };

    /// <summary>A wrong token is refused at once. Without one in the metadata, it has to be in the first message.</summary>
    private void AuthorizeSession(GrpcCall call)
    {
        if (call.RequestHeaders.TryGet("authorization", out _)) SyncApi.Require(AccessLevel.Watch, LevelOf(call));
    }

    /// <summary>The token comes in the metadata <c>authorization</c>; where that is not set, in the first message of a session.</summary>
    private AccessLevel LevelOf(GrpcCall call, string? token = null) =>
        _api.LevelOf(call.RequestHeaders.TryGet("authorization", out var header) ? AccessTokens.FromAuthorization(header) : token);

    private async ValueTask<Match> WaitForMatchAsync(GrpcCall call)
    {
        try
        {
            return await _api.WaitForMatchAsync(call.Cancellation);
        }
        catch (GrpcException e) when (e.StatusCode == GrpcStatusCode.Unavailable)
        {
            call.ResponseTrailers.Add(EndKey, Stopping);
            throw;
        }
    }

    private static void ThrowUnlessOver(SubscriptionEnd end, GrpcCall call)
    {
        if (end.Reason == SubscriptionEndReason.Stopping) call.ResponseTrailers.Add(EndKey, Stopping);
        if (end.Reason != SubscriptionEndReason.MatchOver) throw new GrpcException(end.StatusCode(), end.Message);
    }
}
