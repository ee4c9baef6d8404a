using System.Globalization;
using Abathur.Sync.Access;
using Abathur.Sync.Requests;
using Grpc.AspNetCore.Server;
using Grpc.Core;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// Decides on the headers whether a gRPC call may go on, before a byte of its messages is buffered, and bounds the body of those that may.
/// A middleware between routing and the endpoints.
/// </summary>
internal sealed class GrpcGate(SyncApi api, TimeProvider clock)
{
    /// <summary>Bytes of incomplete request messages, all connections together.</summary>
    private const long MaxHeldBytes = 64L * 1024 * 1024;

    private const string ContentType = "application/grpc";
    private static readonly object BudgetKey = new();
    private readonly ByteBudget _heldBytes = new(MaxHeldBytes);
    private int _calls;

    /// <summary>Calls at once: the maximum of connections and subscriptions together, twice, to leave room for short calls.</summary>
    public int MaxCalls { get; init; } = 4096;

    /// <summary>Bytes of incomplete request messages of one connection.</summary>
    public long MaxConnectionHeldBytes { get; init; } = 32L * 1024 * 1024;

    /// <summary>Calls that are served now.</summary>
    public int Calls => Volatile.Read(ref _calls);

    /// <summary>Serves one request.</summary>
    public async Task InvokeAsync(HttpContext http, RequestDelegate next)
    {
        if (!IsGrpc(http.Request.ContentType ?? ""))
        {
            await ExplainAsync(http.Response);
            return;
        }
        try
        {
            var calls = Interlocked.Increment(ref _calls);
            var limits = http.GetEndpoint()?.Metadata.GetMetadata<GrpcMethodLimits>() ?? GrpcMethodLimits.Default;
            if (FindRefusal(http, limits, calls) is { } refusal)
            {
                Refuse(http.Response, refusal);
                return;
            }
            using var body = new GrpcRequestBody(
                http.Request.BodyReader, BudgetOf(http.Features), limits.MaxMessageBytes, IsStream(http), clock);
            http.Features.Set<IRequestBodyPipeFeature>(body);
            http.Features.Set(body);
            await next(http);
        }
        finally
        {
            Interlocked.Decrement(ref _calls);
        }
    }

    private RefusedException? FindRefusal(HttpContext http, GrpcMethodLimits limits, int calls)
    {
        if (calls > MaxCalls)
            return new RefusedException(RequestStatus.ResourceExhausted, $"the server has reached its limit of {MaxCalls} calls");
        var authorization = http.Request.Headers.Authorization;
        if (limits.TokenMayFollow && authorization.Count == 0) return null;
        try
        {
            SyncApi.Require(limits.Needed, api.LevelOf(AccessTokens.FromAuthorization(authorization)));
            return null;
        }
        catch (RefusedException e)
        {
            return e;
        }
    }

    /// <summary>A response that is a status only.</summary>
    private static void Refuse(HttpResponse response, RefusedException refusal)
    {
        response.ContentType = ContentType;
        response.Headers["grpc-status"] = ((int)refusal.Status).ToString(CultureInfo.InvariantCulture);
        response.Headers["grpc-message"] = Uri.EscapeDataString(refusal.Message);
    }

    /// <summary>Answers in plain HTTP, for users of a browser or curl.</summary>
    private static async Task ExplainAsync(HttpResponse response)
    {
        response.StatusCode = StatusCodes.Status415UnsupportedMediaType;
        response.ContentType = "text/plain";
        await response.WriteAsync($"This port speaks gRPC: the content type of gRPC calls is {ContentType}.\n");
    }

    private static bool IsGrpc(string contentType) =>
        contentType.StartsWith(ContentType, StringComparison.OrdinalIgnoreCase)
        && (contentType.Length == ContentType.Length || contentType[ContentType.Length] is '+' or ';');

    private static bool IsStream(HttpContext http) =>
        http.GetEndpoint()?.Metadata.GetMetadata<GrpcMethodMetadata>()?.Method.Type is MethodType.ClientStreaming
            or MethodType.DuplexStreaming;

    /// <summary>The byte budget of the connection of a request: the same object for all its calls.</summary>
    private ByteBudget BudgetOf(IFeatureCollection features)
    {
        if (features.Get<IConnectionItemsFeature>()?.Items is not { } items) return _heldBytes;
        lock (items)
        {
            if (items.TryGetValue(BudgetKey, out var budget)) return (ByteBudget)budget!;
            var created = new ByteBudget(MaxConnectionHeldBytes, _heldBytes);
            items[BudgetKey] = created;
            return created;
        }
    }
}
