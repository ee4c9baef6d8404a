using System.Collections.Concurrent;
using System.Net;
using System.Threading.Channels;
using Abathur.Recordings;
using Abathur.Sync.Frames;
using Abathur.Sync.Hosting;
using Abathur.Sync.Transports.Grpc;
using Google.Protobuf;
using Grpc.AspNetCore.Server.Model;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Abathur.Benchmarks.Baseline;

/// <summary>
/// The plainest gRPC server of the same frames, with the packages of the field (grpc-dotnet): a message is made once, and written to each
/// client by the package.
/// </summary>
/// <remarks>
/// At the tick rate it is the measure of the daemon's own output; a client that lags skips to the newest frame. As fast as clients take
/// them, the messages come from memory: the measure of playback, which reads, decompresses and checks its file meanwhile.
/// </remarks>
internal sealed class GrpcBaselineServer(BaselineOptions options, TimeProvider clock) : IDisposable
{
    private const int FramesInMemory = 300;
    private readonly BaselinePlayback _playback = new(options, clock);
    private readonly ConcurrentDictionary<Channel<byte[]>, bool> _clients = new();
    private ulong _sequence;

    /// <summary>Serves until standard input is closed. Prints "ready grpc=ADDRESS" when clients may come.</summary>
    public static async Task<int> RunAsync(BaselineOptions options, CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        using var server = new GrpcBaselineServer(options, TimeProvider.System);
        var messages = options.Unlimited ? server.Load() : null;
        var builder = KestrelHost.CreateBuilder(maxConnections: 256, TimeProvider.System);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            GrpcKestrel.SetLimits(kestrel.Limits);
            kestrel.Listen(IPAddress.Loopback, options.Port, listener => listener.UseGrpc());
        });
        builder.Services.AddGrpc();
        builder.Services.AddSingleton<IServiceMethodProvider<Service>, Methods>();
        builder.Services.AddSingleton(new Service(server, messages));
        await using var app = builder.Build();
        app.MapGrpcService<Service>();
        await app.StartAsync(stop.Token);
        Console.WriteLine($"ready grpc={new Uri(app.Urls.First()).Authority}");
        var publishing = options.Unlimited ? Task.CompletedTask : server.PublishAsync(stop.Token);
        await Console.In.ReadToEndAsync(cancellation);
        await stop.CancelAsync();
        await publishing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await app.StopAsync(cancellation);
        return 0;
    }

    public void Dispose() => _playback.Dispose();

    private byte[][] Load()
    {
        using var recording = RecordingReader.Open(options.Recording);
        var first = (uint)(recording.FirstGameLoop + (options.StartOffset * recording.Match.TickHz));
        return [.. recording.ReadBetween(first, uint.MaxValue).Take(FramesInMemory).Select(each => Message(recording.Match, each))];
    }

    private Task PublishAsync(CancellationToken cancellation) => _playback.RunAsync(
        () => !_clients.IsEmpty,
        (match, observation) =>
        {
            var message = Message(match, observation);
            foreach (var (client, _) in _clients) client.Writer.TryWrite(message);
            return ValueTask.CompletedTask;
        },
        cancellation);

    private byte[] Message(RecordingMatch match, RecordedObservation observation) => new Sync.V1.Frame
    {
        MatchId = match.MatchId,
        Sequence = ++_sequence,
        GameLoop = observation.GameLoop,
        PublishedMonotonicNs = FrameStamp.Now(clock).MonotonicNs,
        Data = ByteString.CopyFrom(observation.Payload.Span),
    }.ToByteArray();

    private async Task SendAsync(IServerStreamWriter<byte[]> output, CancellationToken cancellation)
    {
        var newest = Channel.CreateBounded<byte[]>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });
        _clients[newest] = true;
        _playback.Join();
        try
        {
            await foreach (var message in newest.Reader.ReadAllAsync(cancellation)) await output.WriteAsync(message, cancellation);
        }
        finally
        {
            _clients.TryRemove(newest, out _);
        }
    }

    private sealed class Methods : IServiceMethodProvider<Service>
    {
        private static readonly Marshaller<byte[]> Bytes = new(message => message, message => message);

        public void OnServiceMethodDiscovery(ServiceMethodProviderContext<Service> context) => context.AddServerStreamingMethod(
            new Method<byte[], byte[]>(MethodType.ServerStreaming, GameSyncMethods.ServiceName, "Subscribe", Bytes, Bytes), [],
            (service, _, output, call) => service.SendAsync(output, call.CancellationToken));
    }

    private sealed class Service(GrpcBaselineServer server, byte[][]? messages)
    {
        public async Task SendAsync(IServerStreamWriter<byte[]> output, CancellationToken cancellation)
        {
            if (messages is null)
            {
                await server.SendAsync(output, cancellation);
                return;
            }
            for (var i = 0; !cancellation.IsCancellationRequested; i = (i + 1) % messages.Length)
                await output.WriteAsync(messages[i], cancellation);
        }
    }
}
