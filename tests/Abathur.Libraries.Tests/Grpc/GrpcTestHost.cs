using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Abathur.Grpc.Tests;

/// <summary>
/// A service "test.Service" on a free port, and a client that posts bytes to it. Handlers that fail are an error of the
/// test unless it takes them out of <see cref="Failures"/>.
/// </summary>
internal sealed class GrpcTestHost : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly HttpClient _client;
    private int _openCalls;

    private GrpcTestHost(WebApplication app, HttpClient client) => (_app, _client) = (app, client);

    public List<(string Method, Exception Exception)> Failures { get; } = [];

    public Uri Address => _client.BaseAddress!;

    public static async Task<GrpcTestHost> StartAsync(
        Func<GrpcService, GrpcService> methods, GrpcServerOptions? options =
            null, HttpProtocols protocols = HttpProtocols.Http2, TimeSpan? prefaceTimeout = null)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        ListenOptions? listener = null;
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            GrpcKestrel.SetLimits(kestrel.Limits);
            kestrel.Listen(IPAddress.Loopback, 0, tcp =>
            {
                listener = tcp;
                tcp.UseGrpc(prefaceTimeout);
                tcp.Protocols = protocols;
            });
        });
        var app = builder.Build();
        var client = new HttpClient
        {
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        var host = new GrpcTestHost(app, client);
        options = (options ?? new()) with
        {
            OnHandlerFailure = (method, e) =>
            {
                lock (host.Failures) host.Failures.Add((method, e));
            },
        };
        var server = new GrpcServer(options, methods(new GrpcService("test.Service")));
        app.Run(async http =>
        {
            Interlocked.Increment(ref host._openCalls);
            await server.HandleAsync(http);
            Interlocked.Decrement(ref host._openCalls);
        });
        await app.StartAsync();
        client.BaseAddress = new Uri($"http://{listener!.IPEndPoint}");
        return host;
    }

    /// <summary>Posts a body to a method. A header is written "name: value"; content-type is gRPC's unless one is given.</summary>
    public Task<HttpResponseMessage> PostAsync(string method, byte[] body, params string[] headers) =>
        SendAsync(HttpMethod.Post, $"/test.Service/{method}", new ByteArrayContent(body), headers);

    /// <summary>The response as soon as its headers are there.</summary>
    public Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, HttpContent content, params string[] headers)
    {
        var request = new HttpRequestMessage(method, path)
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = content,
        };
        content.Headers.TryAddWithoutValidation("content-type", "application/grpc");
        foreach (var (name, value) in headers.Select(header => header.Split(": ")).Select(parts => (parts[0], parts[1])))
        {
            if (name == "content-type") content.Headers.Remove(name);
            if (!request.Headers.TryAddWithoutValidation(name, value)) content.Headers.TryAddWithoutValidation(name, value);
        }
        return _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
    }

    /// <summary>Ends when no handler runs any more.</summary>
    public async Task WaitUntilIdleAsync()
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(10));
        while (Volatile.Read(ref _openCalls) > 0) await Task.Delay(5, limit.Token);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await WaitUntilIdleAsync();
        await _app.DisposeAsync();
        Assert.Empty(Failures);
    }
}
