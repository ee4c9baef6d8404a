using System.Net;
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
using V1Frame = Abathur.Sync.V1.Frame;

namespace Abathur.Benchmarks.Floor;

/// <summary>
/// The plainest gRPC server of the same frames, with the packages of the field: messages that were made before, from memory, as fast as the
/// client takes them. The measure of playback, which reads, decompresses and checks its file meanwhile.
/// </summary>
internal static class GrpcFloorServer
{
    private const int Frames = 300;

    /// <summary>Serves until standard input is closed. Prints "ready grpc=ADDRESS" when clients may come.</summary>
    public static async Task<int> RunAsync(FloorOptions options, CancellationToken cancellation)
    {
        var messages = Load(options);
        var builder = KestrelHost.CreateBuilder(maxConnections: 16, TimeProvider.System);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            GrpcKestrel.SetLimits(kestrel.Limits);
            kestrel.Listen(IPAddress.Loopback, options.Port, listener => listener.UseGrpc());
        });
        builder.Services.AddGrpc();
        builder.Services.AddSingleton<IServiceMethodProvider<Service>, Methods>();
        builder.Services.AddSingleton(new Service(messages));
        await using var app = builder.Build();
        app.MapGrpcService<Service>();
        await app.StartAsync(cancellation);
        Console.WriteLine($"ready grpc={new Uri(app.Urls.First()).Authority}");
        await Console.In.ReadToEndAsync(cancellation);
        await app.StopAsync(cancellation);
        return 0;
    }

    private static byte[][] Load(FloorOptions options)
    {
        using var recording = RecordingReader.Open(options.Recording);
        var first = (uint)(recording.FirstGameLoop + (options.StartOffset * recording.Match.TickHz));
        return
        [
            .. recording.ReadBetween(first, uint.MaxValue).Take(Frames).Select((observation, i) => new V1Frame
            {
                MatchId = recording.Match.MatchId,
                Sequence = (ulong)i + 1,
                GameLoop = observation.GameLoop,
                // Readers look for it.
                PublishedMonotonicNs = FrameStamp.Now(TimeProvider.System).MonotonicNs,
                Data = ByteString.CopyFrom(observation.Payload.Span),
            }.ToByteArray()),
        ];
    }

    private sealed class Methods : IServiceMethodProvider<Service>
    {
        private static readonly Marshaller<byte[]> Bytes = new(message => message, message => message);

        public void OnServiceMethodDiscovery(ServiceMethodProviderContext<Service> context) => context.AddServerStreamingMethod(
            new Method<byte[], byte[]>(MethodType.ServerStreaming, GameSyncMethods.ServiceName, "Subscribe", Bytes, Bytes), [],
            (service, _, output, call) => service.SendAsync(output, call.CancellationToken));
    }

    private sealed class Service(byte[][] messages)
    {
        public async Task SendAsync(IServerStreamWriter<byte[]> output, CancellationToken cancellation)
        {
            for (var i = 0; !cancellation.IsCancellationRequested; i = (i + 1) % messages.Length)
                await output.WriteAsync(messages[i], cancellation);
        }
    }
}
