using System.Net;
using Abathur.Sync.Access;
using Abathur.Sync.Frames;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.Transports;
using Abathur.Sync.Transports.Grpc;
using Google.Protobuf;
using Grpc.HealthCheck;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Abathur.Sync.Tests.Transports.Grpc;

/// <summary>The gRPC endpoints of a daemon on a free port, and a client that sends bytes to them.</summary>
internal sealed class GrpcHost : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly HttpClient _client;
    private readonly GrpcGate _gate;

    private GrpcHost(WebApplication app, HttpClient client, MatchRun run, GrpcGate gate) =>
        (_app, _client, Run, _gate) = (app, client, run, gate);

    public MatchRun Run { get; }

    public Uri Address => _client.BaseAddress!;

    /// <summary>Calls that are served now.</summary>
    public int Calls => _gate.Calls;

    public static async Task<GrpcHost> StartAsync(
        int maxCalls = 100, long maxConnectionHeldBytes = 1 << 20, TimeProvider? clock = null, bool sourceWaits = false)
    {
        clock ??= TimeProvider.System;
        var view = new MatchView(
            new HubShare(new HubOptions { HistoryBytes = 0 }, TimeProvider.System),
            sourceWaits ? Abilities.Waiting : Abilities.NotWaiting);
        var api = new SyncApi(view, view, new AccessOptions(), TimeProvider.System);
        var builder = KestrelHost.CreateBuilder(maxConnections: 100, TimeProvider.System);
        ListenOptions? listener = null;
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            GrpcKestrel.SetLimits(kestrel.Limits);
            kestrel.Listen(IPAddress.Loopback, 0, tcp =>
            {
                listener = tcp;
                tcp.UseGrpc(TimeSpan.FromSeconds(10), clock);
            });
        });
        GrpcEndpoints.AddServices(builder.Services, api, new HealthServiceImpl());
        var app = builder.Build();
        var gate = new GrpcGate(api, TimeProvider.System) { MaxCalls = maxCalls, MaxConnectionHeldBytes = maxConnectionHeldBytes };
        GrpcEndpoints.Map(app, gate);
        await app.StartAsync();
        var client = new HttpClient { BaseAddress = new Uri($"http://{listener!.IPEndPoint}") };
        return new GrpcHost(app, client, view.Current, gate);
    }

    /// <summary>Publishes a frame of some bytes.</summary>
    public async Task PublishAsync(uint gameLoop, int bytes)
    {
        var payload = SharedBuffer.Rent(bytes);
        payload.Advance(bytes);
        await Run.PublishAsync(Sync.Frames.SharedFrame.Rent(gameLoop, FrameStamp.Now(TimeProvider.System), payload));
    }

    /// <summary>Calls a method of the service with one message.</summary>
    public Task<HttpResponseMessage> CallAsync(string method, IMessage message, params (string Name, string Value)[] headers) =>
        SendAsync(method, new ByteArrayContent(GrpcFrames.Frame(message.ToByteArray())), headers);

    /// <summary>The response as soon as its headers are there.</summary>
    public Task<HttpResponseMessage> SendAsync(string method, HttpContent content, params (string Name, string Value)[] headers)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, $"/{GameSyncMethods.ServiceName}/{method}")
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = content,
        };
        content.Headers.TryAddWithoutValidation("content-type", "application/grpc");
        foreach (var (name, value) in headers) request.Headers.TryAddWithoutValidation(name, value);
        return _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
    }

    /// <summary>The status in the headers, or else that after the body, which is read for it.</summary>
    public static async Task<string> StatusAsync(HttpResponseMessage response)
    {
        if (response.Headers.TryGetValues("grpc-status", out var early)) return early.Single();
        await response.Content.ReadAsByteArrayAsync();
        return response.TrailingHeaders.GetValues("grpc-status").Single();
    }

    /// <summary>Ends when no call is served any more.</summary>
    public async Task WaitUntilIdleAsync()
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        while (Calls > 0) await Task.Delay(5, limit.Token);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
        Run.Dispose();
    }
}
