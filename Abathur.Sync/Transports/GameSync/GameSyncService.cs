using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.Transports.Grpc;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.GameSync;

/// <summary><c>abathur.sync.v1.GameSync</c> over gRPC.</summary>
public sealed class GameSyncService
{
    private readonly SyncApi _api;

    public GameSyncService(SyncApi api)
    {
        _api = api;
        Service = new GrpcService("abathur.sync.v1.GameSync", SyncReflection.Descriptor)
            .Unary("GetMatch", GetMatchRequest.Parser, async (request, call) => await api.GetMatchAsync(request, LevelOf(call), call.Cancellation))
            .Unary("GetStatus", GetStatusRequest.Parser, (_, call) => ValueTask.FromResult(api.GetStatus(LevelOf(call))))
            .Unary("Act", ActRequest.Parser, async (request, call) => await api.ActAsync(request, LevelOf(call), call.Cancellation))
            .Unary("Draw", DrawRequest.Parser, (request, call) => ValueTask.FromResult(_api.Draw(request, LevelOf(call))))
            .Unary("Control", ControlRequest.Parser, async (request, call) => await api.ControlAsync(request, LevelOf(call), call.Cancellation))
            .ServerStreaming("Subscribe", SubscribeRequest.Parser, SubscribeAsync)
            .ClientStreaming("Publish", PublishAsync)
            .Bidirectional("Session", SessionAsync);
    }

    public GrpcService Service { get; }

    private async Task SubscribeAsync(SubscribeRequest request, GrpcCall call)
    {
        using var subscription = _api.Subscribe(request, TransportTraits.GrpcSubscribe, call.Peer, LevelOf(call));
        await using var closing = call.Cancellation.Register(subscription.Close);
        await using var aborting = subscription.Aborted.Register(call.Reset);
        await call.SendHeadersAsync();
        ThrowUnlessOver(await SendFramesAsync(subscription, call));
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
        var first = await call.ReadAsync(ClientMessage.Parser);
        if (first?.Subscribe is null) throw new GrpcException(GrpcStatusCode.InvalidArgument, "the first message must be subscribe");
        var level = LevelOf(call, first.Token);
        using var subscription = _api.Subscribe(first.Subscribe, TransportTraits.GrpcSession, call.Peer, level);
        await using var aborting = subscription.Aborted.Register(call.Reset);
        var wire = new GrpcSessionWire(call);
        wire.Write(new ServerMessage { Match = await _api.WaitForMatchAsync(call.Cancellation) });
        ThrowUnlessOver(await new SyncSession(_api, wire, subscription, level).RunAsync(call.Cancellation));
    }

    /// <summary>The token comes in the metadata <c>authorization</c>; where that is not set, in the first message of a session.</summary>
    private AccessLevel LevelOf(GrpcCall call, string? token = null) =>
        _api.LevelOf(call.RequestHeaders.TryGet("authorization", out var header) ? AccessTokens.FromAuthorization(header) : token);

    private static void ThrowUnlessOver(SubscriptionEnd end)
    {
        if (end.Reason != SubscriptionEndReason.MatchOver) throw new GrpcException(end.StatusCode(), end.Message);
    }
}
