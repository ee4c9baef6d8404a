using System.Globalization;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Grpc;

/// <summary>
/// Serves gRPC on an HTTP/2 server: pass <see cref="HandleAsync"/> to ASP.NET Core as the request delegate, and
/// configure the listener with <see cref="GrpcKestrel"/>. Independent of the services.
/// </summary>
public sealed class GrpcServer
{
    private const string ContentType = "application/grpc";
    private static readonly TimeSpan LongestTimer = TimeSpan.FromMilliseconds(uint.MaxValue - 1);
    private static readonly object BudgetKey = new();
    private readonly Dictionary<string, GrpcMethod> _methods = [];
    private readonly HashSet<string> _services = [];
    private readonly GrpcServerOptions _options;
    private readonly ByteBudget _requestBytes;
    private int _calls;

    public GrpcServer(GrpcServerOptions options, params IEnumerable<GrpcService> services)
    {
        _options = options;
        _requestBytes = new ByteBudget(options.MaxRequestBytes);
        foreach (var service in services)
        {
            _services.Add(service.Name);
            foreach (var (name, method) in service.Methods) _methods.Add($"/{service.Name}/{name}", method);
        }
    }

    /// <summary>Serves one call. Never throws.</summary>
    public async Task HandleAsync(HttpContext http)
    {
        var response = http.Response;
        if (FindRefusal(http.Request) is { } refusal)
        {
            await RefuseAsync(response, refusal);
            return;
        }
        response.ContentType = ContentType;
        response.Headers["grpc-accept-encoding"] = GrpcEncoding.Accepted;
        try
        {
            if (Interlocked.Increment(ref _calls) > _options.MaxConcurrentCalls)
            {
                Finish(
                    http, null, GrpcStatusCode.ResourceExhausted,
                    $"the server has reached its limit of {_options.MaxConcurrentCalls} calls");
                return;
            }
            await ServeAsync(http);
        }
        finally
        {
            Interlocked.Decrement(ref _calls);
        }
    }

    private async Task ServeAsync(HttpContext http)
    {
        if (FindProblem(http.Request, out var timeout) is { } problem)
        {
            Finish(http, null, problem.StatusCode, problem.Message);
            return;
        }
        var method = http.Request.Path.Value!;
        // A deadline beyond the maximum of a timer (49 days) is treated as none.
        if (timeout > LongestTimer) timeout = null;
        var deadline = _options.TimeProvider.GetUtcNow() + timeout;
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(http.RequestAborted);
        await using var timer = timeout is { } due ? StartTimer(method, cancellation, due) : null;
        using var call = new GrpcCall(http, _options, RequestBytesOf(http), deadline, cancellation.Token);
        var (status, message) = await RunAsync(method, call);
        var isOver = cancellation.IsCancellationRequested;
        if (call.ClientIsGone || http.RequestAborted.IsCancellationRequested) return;
        if (isOver) (status, message) = (GrpcStatusCode.DeadlineExceeded, $"the deadline of {timeout} has passed");
        Finish(http, call, status, message);
    }

    /// <summary>Runs the handler. Returns its status, which is used unless the client has disconnected or the deadline has
    /// passed.</summary>
    private async Task<(GrpcStatusCode Status, string Message)> RunAsync(string method, GrpcCall call)
    {
        try
        {
            var (handler, options) = _methods[method];
            if (options.MaxReceiveMessageBytes is { } maxBytes) call.MaxReceiveMessageBytes = maxBytes;
            options.Authorize?.Invoke(call);
            await handler(call);
            return (GrpcStatusCode.Ok, "");
        }
        catch (Exception e) when ((e as GrpcException ?? _options.MapException(e)) is { } refusal)
        {
            return (refusal.StatusCode, refusal.Message);
        }
        catch (Exception e) when ((call.ClientIsGone || call.Cancellation.IsCancellationRequested)
            && e is OperationCanceledException or IOException)
        {
            return (GrpcStatusCode.Cancelled, "the call is cancelled");
        }
        catch (Exception e)
        {
            _options.OnHandlerFailure(method, e);
            return (GrpcStatusCode.Unknown, "the handler failed");
        }
    }

    /// <summary>The byte budget of the connection of a request: the same object for all its calls.</summary>
    private ByteBudget RequestBytesOf(HttpContext http)
    {
        if (http.Features.Get<IConnectionItemsFeature>()?.Items is not { } items) return _requestBytes;
        lock (items)
        {
            if (items.TryGetValue(BudgetKey, out var budget)) return (ByteBudget)budget!;
            var created = new ByteBudget(_options.MaxConnectionRequestBytes, _requestBytes);
            items[BudgetKey] = created;
            return created;
        }
    }

    /// <summary>The HTTP status and the reason for a request that is not gRPC; null for a gRPC call.</summary>
    private static (int Status, string Reason)? FindRefusal(HttpRequest request) => request switch
    {
        { Protocol: not "HTTP/2" } => (StatusCodes.Status426UpgradeRequired, $"gRPC needs HTTP/2, not {request.Protocol}"),
        { Method: not "POST" } => (StatusCodes.Status405MethodNotAllowed, "gRPC calls are POST requests"),
        { ContentType: var type } when !IsGrpc(type ?? "") =>
            (StatusCodes.Status415UnsupportedMediaType, $"the content type of gRPC calls is {ContentType}"),
        _ => null,
    };

    /// <summary>Answers in plain HTTP, for users of a browser or curl.</summary>
    private static async Task RefuseAsync(HttpResponse response, (int Status, string Reason) refusal)
    {
        response.StatusCode = refusal.Status;
        response.ContentType = "text/plain";
        if (refusal.Status == StatusCodes.Status405MethodNotAllowed) response.Headers.Allow = HttpMethods.Post;
        if (refusal.Status == StatusCodes.Status426UpgradeRequired) response.Headers.Upgrade = "h2c";
        await response.WriteAsync($"This port speaks gRPC: {refusal.Reason}.\n");
    }

    private static bool IsGrpc(string contentType) =>
        contentType.StartsWith(ContentType, StringComparison.OrdinalIgnoreCase)
        && (contentType.Length == ContentType.Length || contentType[ContentType.Length] is '+' or ';');

    private GrpcException? FindProblem(HttpRequest request, out TimeSpan? timeout)
    {
        timeout = null;
        var method = request.Path.Value ?? "";
        if (!_methods.ContainsKey(method))
        {
            var service = method.Split('/') is ["", var name, _] ? name : null;
            return new(
                GrpcStatusCode.Unimplemented,
                _services.Contains(service ?? "") ? $"unknown method {method}" : $"unknown service {service ?? method}");
        }
        if (request.Headers["grpc-encoding"].ToString() is { Length: > 0 } encoding && !GrpcEncoding.IsKnown(encoding))
        {
            return new(GrpcStatusCode.Unimplemented, $"grpc-encoding {encoding} is not supported; supported: {GrpcEncoding.Accepted}");
        }
        if (request.Headers["grpc-timeout"].ToString() is { Length: > 0 } text)
        {
            if (!GrpcTimeout.TryParse(text, out var parsed)) return new(GrpcStatusCode.Internal, $"grpc-timeout {text} is malformed");
            timeout = parsed;
        }
        return null;
    }

    private ITimer StartTimer(string method, CancellationTokenSource cancellation, TimeSpan due)
    {
        return _options.TimeProvider.CreateTimer(Cancel, null, due, Timeout.InfiniteTimeSpan);

        void Cancel(object? state)
        {
            try
            {
                cancellation.Cancel();
            }
            catch (AggregateException e)
            {
                // A callback that a handler has registered with the token has failed; an unhandled exception on a timer would end the
                // process.
                _options.OnHandlerFailure(method, e);
            }
        }
    }

    /// <summary>Sends the status: in the headers if the response has no messages, otherwise in trailers.</summary>
    private static void Finish(HttpContext http, GrpcCall? call, GrpcStatusCode code, string message)
    {
        var target = http.Response.HasStarted || http.Response.BodyWriter.UnflushedBytes > 0 || call is { ResponseHeaders.HasAdded: true }
            ? http.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers
            : http.Response.Headers;
        if (target.IsReadOnly) return;
        target["grpc-status"] = ((int)code).ToString(CultureInfo.InvariantCulture);
        if (message.Length > 0) target["grpc-message"] = GrpcPercentEncoding.Encode(message);
        call?.ResponseTrailers.CopyTo(target);
    }
}
