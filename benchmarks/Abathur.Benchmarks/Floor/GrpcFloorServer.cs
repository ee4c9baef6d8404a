using System.Buffers;
using System.Net;
using Abathur.Grpc;
using Abathur.Recordings;
using Abathur.Sync.Frames;
using Abathur.Sync.Hosting;
using Abathur.Sync.V1;
using Google.Protobuf;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using V1Frame = Abathur.Sync.V1.Frame;

namespace Abathur.Benchmarks.Floor;

/// <summary>
/// The plainest gRPC server of the same frames: messages that were made before, from memory, as fast as the client takes them. The measure
/// of playback, which reads, decompresses and checks its file meanwhile.
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
        await using var app = builder.Build();
        var service = new GrpcService("abathur.sync.v1.GameSync", () => SyncReflection.Descriptor).ServerStreaming(
            "Subscribe", SubscribeRequest.Parser, (_, call) => SendAsync(messages, call));
        app.Run(new GrpcServer(new GrpcServerOptions(), service).HandleAsync);
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

    private static async Task SendAsync(byte[][] messages, GrpcCall call)
    {
        await call.SendHeadersAsync();
        for (var i = 0; ; i = (i + 1) % messages.Length)
        {
            GrpcCall.WritePrefix(call.BodyWriter, (uint)messages[i].Length);
            call.BodyWriter.Write(messages[i]);
            if (!await call.FlushAsync()) return;
        }
    }
}
