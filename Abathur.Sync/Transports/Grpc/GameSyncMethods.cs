using Abathur.Sync.Access;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;
using Google.Protobuf;
using Grpc.AspNetCore.Server.Model;
using Grpc.Core;
using Microsoft.AspNetCore.Routing;
using Service = Abathur.Sync.Transports.Grpc.GameSyncService;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// The methods of <c>abathur.sync.v1.GameSync</c>, and what each of them may cost. They are not those that the compiler generates, because
/// published observations are not parsed, and frames are written as they are.
/// </summary>
internal sealed class GameSyncMethods : IServiceMethodProvider<Service>
{
    /// <summary>Full name of the service.</summary>
    public const string ServiceName = "abathur.sync.v1.GameSync";

    /// <summary>Largest request to act or draw, and largest message of a session that may act.</summary>
    public const int MaxActBytes = 1024 * 1024;

    private static readonly HttpMethodMetadata Post = new([HttpMethod.Post.Method]);

    /// <inheritdoc/>
    public void OnServiceMethodDiscovery(ServiceMethodProviderContext<Service> context)
    {
        var watch = new GrpcMethodLimits { Needed = AccessLevel.Watch };
        var act = new GrpcMethodLimits { Needed = AccessLevel.Act };
        var actLarge = act with { MaxMessageBytes = MaxActBytes };
        Unary(
            context, "GetMatch", watch, GetMatchRequest.Parser, Match.Parser,
            (api, request, level, cancellationToken) => api.GetMatchAsync(request, level, cancellationToken));
        Unary(
            context, "GetStatus", watch, GetStatusRequest.Parser, V1.Status.Parser,
            (api, request, level, _) => ValueTask.FromResult(api.GetStatus(level, request.RunId)));
        Unary(
            context, "GetMatches", watch, GetMatchesRequest.Parser, MatchList.Parser,
            (api, _, level, _) => ValueTask.FromResult(api.GetMatches(level)));
        Unary(
            context, "GetTimeline", watch, GetTimelineRequest.Parser, V1.Timeline.Parser,
            (api, request, level, cancellationToken) => api.GetTimelineAsync(request, level, cancellationToken));
        Unary(
            context, "GetPlots", watch, GetPlotsRequest.Parser, V1.Plots.Parser,
            (api, request, level, cancellationToken) => api.GetPlotsAsync(request, level, cancellationToken));
        Unary(
            context, "Plot", act, PlotRequest.Parser, PlotResult.Parser,
            (api, request, level, _) => ValueTask.FromResult(api.Plot(request, level)));
        Unary(
            context, "Act", actLarge, ActRequest.Parser, ActResult.Parser,
            (api, request, level, cancellationToken) => new(api.ActAsync(request, level, cancellationToken)));
        Unary(
            context, "Query", actLarge, QueryRequest.Parser, QueryResult.Parser,
            (api, request, level, cancellationToken) => new(api.QueryAsync(request, level, cancellationToken)));
        Unary(
            context, "Draw", actLarge, DrawRequest.Parser, DrawResult.Parser,
            (api, request, level, _) => ValueTask.FromResult(api.Draw(request, level)));
        Unary(
            context, "Control", act, ControlRequest.Parser, PlaybackState.Parser,
            (api, request, level, cancellationToken) => new(api.ControlAsync(request, level, cancellationToken)));
        context.AddServerStreamingMethod(
            Describe(MethodType.ServerStreaming, "Subscribe", GrpcMarshaller.Of(SubscribeRequest.Parser), V1.Frame.Parser), [Post, watch],
            (service, request, _, call) => service.SubscribeAsync(request, call));
        context.AddClientStreamingMethod(
            Describe(MethodType.ClientStreaming, "Publish", GrpcMarshaller.Bytes, PublishResult.Parser),
            [Post, act with { MaxMessageBytes = Publication.MaxMessageBytes }],
            (service, requests, call) => service.PublishAsync(requests, call));
        context.AddDuplexStreamingMethod(
            Describe(MethodType.DuplexStreaming, "Session", GrpcMarshaller.Of(ClientMessage.Parser), ServerMessage.Parser),
            [Post, watch with { TokenMayFollow = true }],
            (service, messages, _, call) => service.SessionAsync(messages, call));
    }

    private static void Unary<TRequest, TResponse>(
        ServiceMethodProviderContext<Service> context, string name, GrpcMethodLimits limits, MessageParser<TRequest> request,
        MessageParser<TResponse> response, Func<SyncApi, TRequest, AccessLevel, CancellationToken, ValueTask<TResponse>> handler)
        where TRequest : class, IMessage<TRequest>
        where TResponse : class, IMessage<TResponse> =>
        // As a stream of one answer, which is the same to the client: only then it is known when the client has taken it.
        context.AddServerStreamingMethod(
            Describe(MethodType.Unary, name, GrpcMarshaller.Of(request), response), [Post, limits],
            (service, message, output, call) => service.AnswerAsync(message, output, call, handler));

    private static Method<TRequest, TResponse> Describe<TRequest, TResponse>(
        MethodType type, string name, Marshaller<TRequest> request, MessageParser<TResponse> response)
        where TResponse : class, IMessage<TResponse> =>
        new(type, ServiceName, name, request, GrpcMarshaller.Of(response));
}
