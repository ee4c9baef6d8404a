using Abathur.Client;
using Abathur.Sync.Access;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.V1;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Transports.Grpc;

/// <summary><c>abathur.sync.v1.GameSync</c> over gRPC: the handlers of <see cref="GameSyncMethods"/>.</summary>
internal sealed class GameSyncService(SyncApi api, ILogger log)
{
    /// <summary>Largest first message of a session if the token is in the message.</summary>
    private const int MaxUnauthenticatedBytes = 16 * 1024;

    /// <summary>Sessions at once that have not sent their token yet.</summary>
    private const int MaxUnauthenticatedSessions = 256;

    private static readonly WriteOptions Buffered = new(WriteFlags.BufferHint);

    /// <summary>Initial metadata of a publication that is accepted.</summary>
    private static readonly Metadata Accepted = new() { { "abathur-publishing", "accepted" } };

    private int _unauthenticatedSessions;

    /// <summary>One request, one answer.</summary>
    public Task AnswerAsync<TRequest, TResponse>(
        TRequest request, IServerStreamWriter<TResponse> output, ServerCallContext call,
        Func<SyncApi, TRequest, AccessLevel, CancellationToken, ValueTask<TResponse>> handler)
        where TResponse : IMessage
    {
        return GrpcErrors.MapAsync(call, log, AnswerAsync);

        async Task<bool> AnswerAsync()
        {
            var http = call.GetHttpContext();
            var level = LevelOf(http);
            var answer = await handler(api, request, level, call.CancellationToken);
            using var room = api.Answers.Take(level, answer.CalculateSize(), () => GrpcOutput.Reset(http));
            // One that needs no room is sent with the status.
            if (room is null) output.WriteOptions = Buffered;
            await output.WriteAsync(answer);
            return true;
        }
    }

    /// <summary>Frames until the subscription ends.</summary>
    public Task SubscribeAsync(SubscribeRequest request, ServerCallContext call)
    {
        return GrpcErrors.MapAsync(call, log, SubscribeAsync);

        async Task<bool> SubscribeAsync()
        {
            var http = call.GetHttpContext();
            using var reader = await api.SubscribeAsync(
                request, TransportTraits.GrpcSubscribe, GrpcOutput.PeerOf(http), LevelOf(http));
            await using var closing = call.CancellationToken.Register(reader.Close);
            using var aborting = reader.OnAborted(() => GrpcOutput.Reset(http));
            await call.WriteResponseHeadersAsync(Metadata.Empty);
            var output = new GrpcFrameOutput(new GrpcOutput(http), () => reader.Run.RunId);
            ThrowUnlessOver(await reader.Subscription.SendAsync(output, call.CancellationToken), call);
            return true;
        }
    }

    /// <summary>What a bot publishes, until it ends its stream.</summary>
    public Task<PublishResult> PublishAsync(IAsyncStreamReader<SharedBuffer> requests, ServerCallContext call)
    {
        return GrpcErrors.MapAsync(call, log, PublishAsync);

        async Task<PublishResult> PublishAsync()
        {
            using var publication = await api.PublishAsync(LevelOf(call.GetHttpContext()), call.CancellationToken);
            // Otherwise a bot that is refused would learn it with its first frames.
            await call.WriteResponseHeadersAsync(Accepted);
            while (await requests.MoveNext(call.CancellationToken)) await publication.AddAsync(requests.Current);
            return publication.Finish();
        }
    }

    /// <summary>Frames one way, acknowledgements and requests the other way.</summary>
    public Task SessionAsync(IAsyncStreamReader<ClientMessage> messages, ServerCallContext call)
    {
        return GrpcErrors.MapAsync(call, log, SessionAsync);

        async Task<bool> SessionAsync()
        {
            var http = call.GetHttpContext();
            var body = http.Features.GetRequiredFeature<GrpcRequestBody>();
            var first = await ReadFirstAsync(messages, body, http, call.CancellationToken);
            if (first?.Subscribe is null)
                throw new RefusedException(RequestStatus.InvalidArgument, "the first message must be subscribe");
            var level = LevelOf(http, first.Token);
            if (level != AccessLevel.None) UnauthenticatedConnections.Authenticated(http.Features);
            if (level >= AccessLevel.Act) body.MaxMessageBytes = GameSyncMethods.MaxActBytes;
            // Until the client has taken the end: the daemon waits for its subscribers before it ends.
            using var reader = await api.SubscribeAsync(
                first.Subscribe, TransportTraits.GrpcSession, GrpcOutput.PeerOf(http), level);
            SubscriptionEnd end;
            using (reader.OnAborted(() => GrpcOutput.Reset(http)))
            {
                // The match may begin much later: until then the headers show that the daemon is alive.
                await call.WriteResponseHeadersAsync(Metadata.Empty);
                var wire = new GrpcSessionWire(messages, new GrpcOutput(http));
                await wire.WriteMatchAsync(await WaitForMatchAsync(call, reader.Run), call.CancellationToken);
                end = await new SyncSession(api, wire, reader, level).RunAsync(call.CancellationToken);
            }
            await LingerAsync(messages, call.CancellationToken);
            ThrowUnlessOver(end, call);
            return true;
        }
    }

    /// <summary>Reads until the client ends its stream or is silent. Some clients discard what they have received and not read yet when
    /// the call, or the connection, ends before their stream does.</summary>
    private static async Task LingerAsync(IAsyncStreamReader<ClientMessage> messages, CancellationToken cancellationToken)
    {
        using var whole = new CancellationTokenSource(SocketHandler.MaxLingerTime);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(whole.Token, cancellationToken);
        limit.CancelAfter(SocketHandler.LingerTime);
        try
        {
            while (await messages.MoveNext(limit.Token)) limit.CancelAfter(SocketHandler.LingerTime);
        }
        catch (Exception e) when (e is RpcException or OperationCanceledException or InvalidOperationException)
        {
            // It is silent, has disconnected, or sends what is no message.
        }
    }

    /// <summary>Reads the first message of a session, which may have the token. Before it is checked, the size and number of such messages
    /// are limited.</summary>
    private async ValueTask<ClientMessage?> ReadFirstAsync(
        IAsyncStreamReader<ClientMessage> messages, GrpcRequestBody body, HttpContext http, CancellationToken cancellationToken)
    {
        if (LevelOf(http) != AccessLevel.None) return await ReadAsync();
        var laterLimit = body.MaxMessageBytes;
        body.MaxMessageBytes = MaxUnauthenticatedBytes;
        try
        {
            if (Interlocked.Increment(ref _unauthenticatedSessions) > MaxUnauthenticatedSessions)
            {
                throw new RefusedException(
                    RequestStatus.ResourceExhausted,
                    $"{MaxUnauthenticatedSessions} sessions have not sent a token yet: send it in the metadata \"authorization\"");
            }
            return await ReadAsync();
        }
        finally
        {
            Interlocked.Decrement(ref _unauthenticatedSessions);
            body.MaxMessageBytes = laterLimit;
        }

        async ValueTask<ClientMessage?> ReadAsync() => await messages.MoveNext(cancellationToken) ? messages.Current : null;
    }

    /// <summary>The token is in the metadata <c>authorization</c> or, if that is not set, in the first message of a session.</summary>
    private AccessLevel LevelOf(HttpContext http, string? token = null)
    {
        var authorization = http.Request.Headers.Authorization;
        return api.LevelOf(authorization.Count > 0 ? AccessTokens.FromAuthorization(authorization) : token);
    }

    private static async ValueTask<Match> WaitForMatchAsync(ServerCallContext call, MatchRun run)
    {
        try
        {
            return await SyncApi.WaitForMatchAsync(run, call.CancellationToken);
        }
        catch (RefusedException e) when (e.Status == RequestStatus.Unavailable)
        {
            call.ResponseTrailers.Add(DaemonCalls.EndKey, DaemonCalls.Stopping);
            throw;
        }
    }

    private static void ThrowUnlessOver(SubscriptionEnd end, ServerCallContext call)
    {
        if (end.Reason == SubscriptionEndReason.Stopping) call.ResponseTrailers.Add(DaemonCalls.EndKey, DaemonCalls.Stopping);
        if (end.Status() != RequestStatus.Ok) throw new RefusedException(end.Status(), end.Message);
    }
}
