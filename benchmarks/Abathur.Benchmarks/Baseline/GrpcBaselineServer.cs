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
/// The plainest gRPC server of the same frames, with the packages of the field (grpc-dotnet). Its bytes are made once and written to each
/// client, or, typed, the package writes the message for each client, as for a service that Grpc.Tools generates.
/// </summary>
/// <remarks>
/// At the tick rate it is the measure of the daemon's own output; a client that lags skips to the newest frame. As fast as clients take
/// them, the messages come from memory: the measure of playback, which reads, decompresses and checks its file meanwhile.
/// </remarks>
internal sealed class GrpcBaselineServer(BaselineOptions options, TimeProvider clock) : IDisposable
{
    private const int FramesInMemory = 300;
    private static readonly Marshaller<byte[]> Bytes = new(message => message, message => message);
    private readonly BaselinePlayback _playback = new(options, clock);
    private readonly ConcurrentDictionary<Channel<Message>, bool> _clients = new();
    private Message[] _inMemory = [];
    private ulong _sequence;

    /// <summary>Serves until standard input is closed. Prints "ready grpc=ADDRESS" when clients may come.</summary>
    public static async Task<int> RunAsync(BaselineOptions options, CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var server = new GrpcBaselineServer(options, TimeProvider.System);
        if (options.Unlimited) server._inMemory = server.Load();
        var builder = KestrelHost.CreateBuilder(maxConnections: 256, TimeProvider.System);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            GrpcKestrel.SetLimits(kestrel.Limits);
            kestrel.Listen(IPAddress.Loopback, options.Port, listener => listener.UseGrpc());
        });
        builder.Services.AddGrpc();
        if (options.Typed) builder.Services.AddSingleton<IServiceMethodProvider<GrpcBaselineServer>, TypedMethods>();
        else builder.Services.AddSingleton<IServiceMethodProvider<GrpcBaselineServer>, ReadyMethods>();
        builder.Services.AddSingleton(server);
        await using var app = builder.Build();
        app.MapGrpcService<GrpcBaselineServer>();
        await app.StartAsync(stop.Token);
        Console.WriteLine($"ready grpc={new Uri(app.Urls.First()).Authority}");
        var publishing = options.Unlimited ? Task.CompletedTask : server.PublishAsync(stop.Token);
        await Console.In.ReadToEndAsync(cancellationToken);
        await stop.CancelAsync();
        await publishing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await app.StopAsync(cancellationToken);
        return 0;
    }

    public void Dispose() => _playback.Dispose();

    private Message[] Load()
    {
        using var recording = RecordingReader.Open(options.Recording);
        var first = (uint)(recording.FirstGameLoop + (options.StartOffset * recording.Match.TickHz));
        return [.. recording.ReadBetween(first, uint.MaxValue).Take(FramesInMemory).Select(each => MessageOf(recording.Match, each))];
    }

    private Task PublishAsync(CancellationToken cancellationToken) => _playback.RunAsync(
        () => !_clients.IsEmpty,
        (match, observation) =>
        {
            var message = MessageOf(match, observation);
            foreach (var (client, _) in _clients) client.Writer.TryWrite(message);
            return ValueTask.CompletedTask;
        },
        cancellationToken);

    private Message MessageOf(RecordingMatch match, RecordedObservation observation)
    {
        var frame = new Sync.V1.Frame
        {
            MatchId = match.MatchId,
            Sequence = ++_sequence,
            GameLoop = observation.GameLoop,
            PublishedMonotonicNs = FrameStamp.Now(clock).MonotonicNs,
            Data = ByteString.CopyFrom(observation.Payload.Span),
        };
        return new Message(frame, options.Typed ? [] : frame.ToByteArray());
    }

    private async Task SendAsync<T>(IServerStreamWriter<T> output, Func<Message, T> select, CancellationToken cancellationToken)
    {
        for (var i = 0; _inMemory.Length > 0 && !cancellationToken.IsCancellationRequested; i = (i + 1) % _inMemory.Length)
            await output.WriteAsync(select(_inMemory[i]), cancellationToken);
        var newest = Channel.CreateBounded<Message>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });
        _clients[newest] = true;
        _playback.Join();
        try
        {
            await foreach (var message in newest.Reader.ReadAllAsync(cancellationToken))
                await output.WriteAsync(select(message), cancellationToken);
        }
        finally
        {
            _clients.TryRemove(newest, out _);
        }
    }

    /// <summary>A frame as a message, and as bytes unless the package writes it.</summary>
    private sealed record Message(Sync.V1.Frame Frame, byte[] Bytes);

    private sealed class ReadyMethods : IServiceMethodProvider<GrpcBaselineServer>
    {
        public void OnServiceMethodDiscovery(ServiceMethodProviderContext<GrpcBaselineServer> context) => context.AddServerStreamingMethod(
            new Method<byte[], byte[]>(MethodType.ServerStreaming, GameSyncMethods.ServiceName, "Subscribe", Bytes, Bytes), [],
            (server, _, output, call) => server.SendAsync(output, each => each.Bytes, call.CancellationToken));
    }

    private sealed class TypedMethods : IServiceMethodProvider<GrpcBaselineServer>
    {
        // As Grpc.Tools generates it.
        private static readonly Marshaller<Sync.V1.Frame> Frames = new(
            (message, context) =>
            {
                context.SetPayloadLength(message.CalculateSize());
                message.WriteTo(context.GetBufferWriter());
                context.Complete();
            },
            context => Sync.V1.Frame.Parser.ParseFrom(context.PayloadAsReadOnlySequence()));

        public void OnServiceMethodDiscovery(ServiceMethodProviderContext<GrpcBaselineServer> context) => context.AddServerStreamingMethod(
            new Method<byte[], Sync.V1.Frame>(MethodType.ServerStreaming, GameSyncMethods.ServiceName, "Subscribe", Bytes, Frames), [],
            (server, _, output, call) => server.SendAsync(output, each => each.Frame, call.CancellationToken));
    }
}
