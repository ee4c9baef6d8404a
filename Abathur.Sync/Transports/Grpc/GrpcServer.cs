using System.Globalization;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// Serves gRPC on an HTTP/2 server: give <see cref="HandleAsync"/> to ASP.NET Core as the request delegate, and set up
/// the listener with <see cref="GrpcKestrel"/>. Knows nothing of what the services are about.
/// </summary>
public sealed class GrpcServer
{
    private const string ContentType = "application/grpc";
    private readonly Dictionary<string, Func<GrpcCall, Task>> _methods = [];
    private readonly HashSet<string> _services = [];
    private readonly GrpcServerOptions _options;

    public GrpcServer(GrpcServerOptions options, params IEnumerable<GrpcService> services)
    {
        _options = options;
        foreach (var service in services)
        {
            _services.Add(service.Name);
            foreach (var (name, handler) in service.Methods) _methods.Add($"/{service.Name}/{name}", handler);
        }
    }

    /// <summary>Serves one call. Never throws.</summary>
    public async Task HandleAsync(HttpContext http)
    {
        if (!TryAccept(http)) return;
        var response = http.Response;
        response.ContentType = ContentType;
        response.Headers["grpc-accept-encoding"] = GrpcEncoding.Accepted;

        if (FindProblem(http.Request, out var timeout) is { } problem)
        {
            Finish(http, null, problem.StatusCode, problem.Message);
            return;
        }
        var method = http.Request.Path.Value!;
        var deadline = timeout is { } limit ? _options.TimeProvider.GetUtcNow() + limit : (DateTimeOffset?)null;
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(http.RequestAborted);
        await using var timer = timeout is { } due ? StartTimer(cancellation, due) : null;
        var call = new GrpcCall(http, _options, deadline, cancellation.Token);
        try
        {
            await _methods[method](call);
            Finish(http, call, GrpcStatusCode.Ok, "");
        }
        catch (GrpcException e)
        {
            Finish(http, call, e.StatusCode, e.Message);
        }
        catch (Exception e) when (cancellation.IsCancellationRequested && e is OperationCanceledException or IOException or ConnectionAbortedException)
        {
            // Either the client is gone, and nobody reads this, or the deadline has passed.
            if (!http.RequestAborted.IsCancellationRequested) Finish(http, call, GrpcStatusCode.DeadlineExceeded, $"the deadline of {timeout} has passed");
        }
        catch (Exception e)
        {
            _options.OnHandlerFailure(method, e);
            Finish(http, call, GrpcStatusCode.Unknown, "the handler failed");
        }
    }

    /// <summary>Answers in plain HTTP what is not gRPC at all.</summary>
    private static bool TryAccept(HttpContext http)
    {
        http.Response.StatusCode = http.Request switch
        {
            { Protocol: not "HTTP/2" } => StatusCodes.Status426UpgradeRequired,
            { Method: not "POST" } => StatusCodes.Status405MethodNotAllowed,
            { ContentType: null } => StatusCodes.Status415UnsupportedMediaType,
            { ContentType: var type } when !IsGrpc(type) => StatusCodes.Status415UnsupportedMediaType,
            _ => StatusCodes.Status200OK,
        };
        return http.Response.StatusCode == StatusCodes.Status200OK;
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
            return new(GrpcStatusCode.Unimplemented, _services.Contains(service ?? "") ? $"unknown method {method}" : $"unknown service {service ?? method}");
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

    private ITimer StartTimer(CancellationTokenSource cancellation, TimeSpan due)
    {
        var longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);
        return _options.TimeProvider.CreateTimer(static state => Cancel((CancellationTokenSource)state!), cancellation, due < longest ? due : longest, Timeout.InfiniteTimeSpan);

        static void Cancel(CancellationTokenSource source)
        {
            try
            {
                source.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // The call ended while the timer fired.
            }
        }
    }

    /// <summary>Sends the status: in the headers where nothing was sent yet, in trailers otherwise.</summary>
    private static void Finish(HttpContext http, GrpcCall? call, GrpcStatusCode code, string message)
    {
        var target = http.Response.HasStarted || http.Response.BodyWriter.UnflushedBytes > 0
            ? http.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers
            : http.Response.Headers;
        if (target.IsReadOnly) return;
        target["grpc-status"] = ((int)code).ToString(CultureInfo.InvariantCulture);
        if (message.Length > 0) target["grpc-message"] = GrpcPercentEncoding.Encode(message);
        call?.ResponseTrailers.CopyTo(target);
    }
}
