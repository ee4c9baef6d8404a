using System.Net;
using Abathur.Recordings.Tests;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;
using Grpc.Core;
using Grpc.Net.Client;

namespace Abathur.Sync.Tests.Hosting;

/// <summary>A daemon to which bots publish match after match, and its gRPC.</summary>
internal sealed record ServedDaemon(
    Daemon Daemon, GrpcChannel Channel, GameSync.GameSyncClient Client, Task<SubscriptionEnd> Running, CancellationTokenSource Stop)
    : IAsyncDisposable
{
    public const string ActToken = "act-token-0123456789", WatchToken = "watch-token-0123456789";

    /// <summary>Frames of each match.</summary>
    public const uint Frames = 6;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    public static (string, uint)[] Expected(string match) => [.. Enumerable.Range(1, (int)Frames).Select(loop => (match, (uint)loop))];

    public static Metadata Token(string token) => new() { { "authorization", "Bearer " + token } };

    public static async Task<ServedDaemon> StartAsync(TimeSpan delay, HubOptions? limits = null)
    {
        var options = new DaemonOptions
        {
            GrpcPort = 0,
            SocketPort = null,
            HttpPort = null,
            Access = new() { Tokens = new(ActToken, WatchToken), WatchDelay = delay },
            Hub = limits ?? new(),
        };
        var daemon = new Daemon(new PushSource(null, TimeProvider.System), options, TimeProvider.System);
        var addresses = await daemon.StartAsync(CancellationToken.None);
        var port = IPEndPoint.Parse(addresses.All.Single().Address).Port;
        var stop = new CancellationTokenSource();
        var channel = GrpcChannel.ForAddress($"http://127.0.0.1:{port}");
        return new ServedDaemon(daemon, channel, new GameSync.GameSyncClient(channel), daemon.RunAsync(stop.Token), stop);
    }

    public static async Task<List<(string, uint)>> ReadAsync(AsyncServerStreamingCall<Frame> call)
    {
        var frames = new List<(string, uint)>();
        await foreach (var frame in call.ResponseStream.ReadAllAsync()) frames.Add((frame.MatchId, frame.GameLoop));
        return frames;
    }

    public async Task<List<(string, uint)>> ReadAsync(string token)
    {
        using var call = Client.Subscribe(new SubscribeRequest { Policy = Policy.Every }, Token(token));
        return await ReadAsync(call);
    }

    public async Task PublishAsync(string match, Task? isRead = null, Func<Task>? afterFirst = null)
    {
        using var call = Client.Publish(Token(ActToken));
        await call.RequestStream.WriteAsync(new PublishRequest { Match = new Match { MatchId = match } });
        if (isRead is not null) await isRead.WaitAsync(Limit);
        for (var loop = 1u; loop <= Frames; loop++)
        {
            var observation = SC2APIProtocol.ResponseObservation.Parser.ParseFrom(RecordingSample.Observation(loop));
            await call.RequestStream.WriteAsync(new PublishRequest { Observation = observation });
            if (loop == 1 && afterFirst is not null) await afterFirst();
        }
        await call.RequestStream.WriteAsync(new PublishRequest { End = new() });
        await call.RequestStream.CompleteAsync();
        Assert.Equal(Frames, (uint)(await call.ResponseAsync).Frames);
    }

    public async ValueTask DisposeAsync()
    {
        await Stop.CancelAsync();
        Assert.Equal(SubscriptionEndReason.Stopping, (await Running.WaitAsync(Limit)).Reason);
        Channel.Dispose();
        await Daemon.DisposeAsync();
        Stop.Dispose();
    }
}
