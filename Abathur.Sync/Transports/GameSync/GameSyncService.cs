using Abathur.Grpc;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports.GameSync;

/// <summary><c>abathur.sync.v1.GameSync</c> over gRPC.</summary>
public sealed class GameSyncService
{
    /// <summary>Trailing metadata of a stream that ends because the daemon is shutting down. It distinguishes that from a broken
    /// connection, which is UNAVAILABLE as well.</summary>
    private const string EndKey = "abathur-end";
    private const string Stopping = "stopping";

    /// <summary>Largest request to act or draw, and largest message of a session that may act.</summary>
    private const int MaxActBytes = 1024 * 1024;

    /// <summary>Largest first message of a session if the token is in the message.</summary>
    private const int MaxUnauthenticatedBytes = 16 * 1024;

    /// <summary>Sessions at once that have not sent their token yet.</summary>
    private const int MaxUnauthenticatedSessions = 256;

    private readonly SyncApi _api;
    private int _unauthenticatedSessions;

    public GameSyncService(SyncApi api)
    {
        _api = api;
        Service = new GrpcService("abathur.sync.v1.GameSync", () => SyncReflection.Descriptor)
            .Unary(
                "GetMatch",
                GetMatchRequest.Parser,
                async (request, call) => await api.GetMatchAsync(request, LevelOf(call), call.Cancellation),
                For(AccessLevel.Watch))
            .Unary(
                "GetStatus", GetStatusRequest.Parser, (_, call) => ValueTask.FromResult(api.GetStatus(LevelOf(call))),
                For(AccessLevel.Watch))
            .Unary(
                "GetTimeline",
                GetTimelineRequest.Parser,
                async (request, call) => await api.GetTimelineAsync(request, LevelOf(call), call.Cancellation),
                For(AccessLevel.Watch))
            .Unary(
                "GetPlots",
                GetPlotsRequest.Parser,
                async (request, call) => await api.GetPlotsAsync(request, LevelOf(call), call.Cancellation),
                For(AccessLevel.Watch))
            .Unary(
                "Plot", PlotRequest.Parser, (request, call) => ValueTask.FromResult(_api.Plot(request, LevelOf(call))),
                For(AccessLevel.Act))
            .Unary(
                "Act", ActRequest.Parser, async (request, call) => await api.ActAsync(request, LevelOf(call), call.Cancellation),
                For(AccessLevel.Act, MaxActBytes))
            .Unary(
                "Query", QueryRequest.Parser, async (request, call) => await api.QueryAsync(request, LevelOf(call), call.Cancellation),
                For(AccessLevel.Act, MaxActBytes))
            .Unary(
                "Draw", DrawRequest.Parser, (request, call) => ValueTask.FromResult(_api.Draw(request, LevelOf(call))),
                For(AccessLevel.Act, MaxActBytes))
            .Unary(
                "Control",
                ControlRequest.Parser,
                async (request, call) => await api.ControlAsync(request, LevelOf(call), call.Cancellation),
                For(AccessLevel.Act))
            .ServerStreaming("Subscribe", SubscribeRequest.Parser, SubscribeAsync, For(AccessLevel.Watch))
            .ClientStreaming("Publish", PublishAsync, For(AccessLevel.Act, Publication.MaxMessageBytes))
            .Bidirectional("Session", SessionAsync, new GrpcMethodOptions { Authorize = AuthorizeSession });
    }

    public GrpcService Service { get; }

    /// <summary>The gRPC status of a refused request; null for any other exception.</summary>
    public static GrpcException? ToGrpc(Exception exception) =>
        exception is RequestException refusal ? new GrpcException((GrpcStatusCode)refusal.Status, refusal.Message) : null;

    private async Task SubscribeAsync(SubscribeRequest request, GrpcCall call)
    {
        using var subscription = await _api.SubscribeAsync(request, TransportTraits.GrpcSubscribe, call.Peer, LevelOf(call));
        await using var closing = call.Cancellation.Register(subscription.Close);
        await using var aborting = subscription.Aborted.Register(call.Reset);
        await call.SendHeadersAsync();
        ThrowUnlessOver(await subscription.SendAsync(new GrpcFrameOutput(call), call.Cancellation), call);
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
        if (first?.Subscribe is null) throw new RequestException(RequestStatus.InvalidArgument, "the first message must be subscribe");
        var level = LevelOf(call, first.Token);
        if (level != AccessLevel.None) UnauthenticatedConnections.Authenticated(call.Features);
        if (level >= AccessLevel.Act) call.MaxReceiveMessageBytes = MaxActBytes;
        using var subscription = await _api.SubscribeAsync(first.Subscribe, TransportTraits.GrpcSession, call.Peer, level);
        await using var aborting = subscription.Aborted.Register(call.Reset);
        // The match may begin much later: until then the headers show that the daemon is alive.
        await call.SendHeadersAsync();
        var wire = new GrpcSessionWire(call);
        wire.Write(new ServerMessage { Match = await WaitForMatchAsync(call, level) });
        ThrowUnlessOver(await new SyncSession(_api, wire, subscription, level).RunAsync(call.Cancellation), call);
    }

    /// <summary>Reads the first message of a session, which may have the token. Before it is checked, the size and number of such messages
    /// are limited.</summary>
    private async ValueTask<ClientMessage?> ReadFirstAsync(GrpcCall call)
    {
        if (LevelOf(call) != AccessLevel.None) return await call.ReadAsync(ClientMessage.Parser);
        var laterLimit = call.MaxReceiveMessageBytes;
        call.MaxReceiveMessageBytes = MaxUnauthenticatedBytes;
        try
        {
            if (Interlocked.Increment(ref _unauthenticatedSessions) > MaxUnauthenticatedSessions)
            {
                throw new RequestException(
                    RequestStatus.ResourceExhausted,
                    $"{MaxUnauthenticatedSessions} sessions have not sent a token yet: send it in the metadata \"authorization\"");
            }
            return await call.ReadAsync(ClientMessage.Parser);
        }
        finally
        {
            Interlocked.Decrement(ref _unauthenticatedSessions);
            call.MaxReceiveMessageBytes = laterLimit;
        }
    }

    private GrpcMethodOptions For(AccessLevel needed, int? maxBytes = null) => new()
    {
        MaxReceiveMessageBytes = maxBytes,
        Authorize = call => SyncApi.Require(needed, LevelOf(call)),
        Reserve = (call, answer) => AnswerBudget.OfProcess.Take(LevelOf(call), answer.CalculateSize(), call.Reset),
    };

    /// <summary>Refuses a wrong token at once. Without a token in the metadata, it has to be in the first message.</summary>
    private void AuthorizeSession(GrpcCall call)
    {
        if (call.RequestHeaders.TryGet("authorization", out _)) SyncApi.Require(AccessLevel.Watch, LevelOf(call));
    }

    /// <summary>The token is in the metadata <c>authorization</c> or, if that is not set, in the first message of a session.</summary>
    private AccessLevel LevelOf(GrpcCall call, string? token = null) =>
        _api.LevelOf(call.RequestHeaders.TryGet("authorization", out var header) ? AccessTokens.FromAuthorization(header) : token);

    private async ValueTask<Match> WaitForMatchAsync(GrpcCall call, AccessLevel level)
    {
        try
        {
            return await _api.WaitForMatchAsync(level, call.Cancellation);
        }
        catch (RequestException e) when (e.Status == RequestStatus.Unavailable)
        {
            call.ResponseTrailers.Add(EndKey, Stopping);
            throw;
        }
    }

    private static void ThrowUnlessOver(SubscriptionEnd end, GrpcCall call)
    {
        if (end.Reason == SubscriptionEndReason.Stopping) call.ResponseTrailers.Add(EndKey, Stopping);
        if (end.Status() != RequestStatus.Ok) throw new RequestException(end.Status(), end.Message);
    }
}
