using System.Buffers.Binary;
using System.IO.Compression;
using Abathur.Sync.Tests.Transports.Grpc;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Fuzz.Targets;

/// <summary>
/// Frames of a client from a script of 4 bytes a step: what to send, or how to change what was said last. A change of any byte gives
/// another
/// client: frames of other lengths, flags, streams and order, cut off or repeated. Every script means something.
/// </summary>
internal static class Http2Script
{
    private const int StepBytes = 4;
    private const int MaxRepeats = 20;
    private const int MaxBytes = 200_000;
    private static readonly uint[] Numbers =
    [
        0, 1, 2, 100, 4096, 16384, 16385, 65535, 65536, 1 << 20, (1 << 24) - 1, 1 << 24, int.MaxValue, 0x8000_0000, uint.MaxValue,
    ];
    private static readonly string[] Methods = ["GetMatch", "Subscribe", "Session", "GetStatus", "Control", "Act", "Draw", "Publish"];
    private static readonly byte[][] Blocks =
    [
        .. Methods.Select(method => Http2Frames.Call($"/abathur.sync.v1.GameSync/{method}")),
        Http2Frames.Call("/abathur.sync.v1.GameSync/Subscribe", ("grpc-encoding", "gzip")),
        Http2Frames.Call("/abathur.sync.v1.GameSync/Subscribe", ("grpc-encoding", "deflate"), ("grpc-timeout", "1m")),
        Http2Frames.Call("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"),
        Http2Frames.Call("/grpc.health.v1.Health/Watch"),
        Http2Frames.Call("/nothing/Here", ("grpc-timeout", "99999999H")),
        Http2Frames.Call("", ("Upper", "case"), (":late", "pseudo")),
        Http2Frames.Call("/abathur.sync.v1.GameSync/Session", ("x", new string('y', 20_000))),
        [0x83, 0x86, 0xBF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x3F, 0xFF, 0xFF, 0xFF, 0x7F], [],
    ];

    private static readonly byte[][] Bodies =
    [
        GrpcFrames.Frame([]),
        GrpcFrames.Frame(new SubscribeRequest { Name = "fuzz", Newest = true }.ToByteArray()),
        GrpcFrames.Frame(
            new SubscribeRequest { Policy = Policy.Lockstep, Encoding = Sync.V1.Encoding.Columns, Name = "fuzz" }.ToByteArray()),
        GrpcFrames.Frame(new ClientMessage
        {
            Subscribe = new SubscribeRequest { Encoding = Sync.V1.Encoding.Columns, Credits = 2, Name = "fuzz" },
        }.ToByteArray()),
        GrpcFrames.Frame(new ClientMessage { Ack = new Ack { Sequence = 1 } }.ToByteArray()),
        GrpcFrames.Frame(new PublishRequest { Match = new Match { MapName = "x" } }.ToByteArray()),
        GrpcFrames.Frame(Gzip(new SubscribeRequest { Name = "fuzz" }.ToByteArray()), flag: 1),
        GrpcFrames.Frame(Gzip(new byte[1_000_000]), flag: 1),
        GrpcFrames.Frame([0x1F, 0x8B, 8, 0, 1, 2, 3], flag: 1), GrpcFrames.Frame([1, 2, 3], flag: 2),
        [0, 0], [0, 0, 0], [0, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0x7F, 0xFF, 0xFF, 0xFF, 8, 1], [0, 0, 1, 0, 0, 8], [], [1, 0, 0, 0, 0],
    ];

    /// <summary>Bytes of a step.</summary>
    public static byte[] Step(int kind, int a = 0, int b = 0, int c = 0) => [(byte)kind, (byte)a, (byte)b, (byte)c];

    /// <summary>The frames, without the preface.</summary>
    public static byte[] Play(ReadOnlySpan<byte> script)
    {
        var frames = new List<byte[]>();
        var bytes = 0;
        for (; script.Length >= StepBytes && bytes < MaxBytes; script = script[StepBytes..])
        {
            var (kind, a, b, c) = (script[0] % 18, script[1], script[2], script[3]);
            if (kind < 11) frames.Add(Frame(kind, a, b, c));
            else if (frames.Count > 0) Change(frames, kind, a, b);
            bytes += frames.Count > 0 ? frames[^1].Length : 0;
        }
        return [.. frames.SelectMany(frame => frame)];
    }

    private static byte[] Frame(int kind, byte a, byte b, byte c)
    {
        var stream = Stream(a);
        var number = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(number, Numbers[b % Numbers.Length]);
        return kind switch
        {
            0 => Http2Frames.Frame(Http2Frames.Headers, (byte)(Http2Frames.EndHeaders | (c & 0x2D)), stream, Blocks[b % Blocks.Length]),
            1 => Http2Frames.Frame(Http2Frames.Data, (byte)(c & 9), stream, Bodies[b % Bodies.Length]),
            2 => Http2Frames.Frame(Http2Frames.Settings, (byte)(c & 1), 0, c % 2 == 1 ? [] : [0, (byte)(a % 10), .. number]),
            3 => Http2Frames.Frame(Http2Frames.WindowUpdate, 0, stream, number),
            4 => Http2Frames.Frame(Http2Frames.Reset, 0, stream, [0, 0, 0, (byte)(b % 16)]),
            5 => Http2Frames.Frame(Http2Frames.Ping, (byte)(c & 1), 0, new byte[b % 4 == 3 ? b : 8]),
            6 => Http2Frames.Frame(Http2Frames.GoAway, 0, 0, [.. number, 0, 0, 0, (byte)(c % 16)]),
            7 => Http2Frames.Frame(Http2Frames.Priority, 0, stream, [.. number, c]),
            8 => Http2Frames.Frame(Http2Frames.Continuation, (byte)(c & Http2Frames.EndHeaders), stream, Blocks[b % Blocks.Length]),
            9 => Http2Frames.Frame((byte)(10 + b % 200), c, stream, new byte[a]),
            _ => Http2Frames.Frame(Http2Frames.Data, (byte)(c & 1), stream, new byte[Math.Min(Numbers[b % Numbers.Length], 20_000)]),
        };
    }

    /// <summary>Changes the last frame, or where it stands.</summary>
    private static void Change(List<byte[]> frames, int kind, byte a, byte b)
    {
        var last = frames[^1];
        switch (kind)
        {
            case 11 when last.Length >= Http2Frames.HeadBytes: Http2Frames.SetLength(last, Http2Frames.Length(last) + (sbyte)a); break;
            case 12: frames[^1] = last[..(last.Length * a / 256)]; break;
            case 13 when last.Length > 4: last[4] = b; break;
            case 14 when last.Length > 8: (last[5], last[8]) = (a, b); break;
            case 15 when frames.Count > 1: (frames[^1], frames[^2]) = (frames[^2], last); break;
            case 16: frames.AddRange(Enumerable.Range(0, a % MaxRepeats).Select(_ => last.ToArray())); break;
            // A header block, or a message, in two frames.
            case 17 when last.Length > Http2Frames.HeadBytes + 1
                && last[3] is (Http2Frames.Headers or Http2Frames.Data):
                Split(frames, last, a); break;
            default: break;
        }
    }

    private static void Split(List<byte[]> frames, byte[] last, byte a)
    {
        var payload = last.AsSpan(Http2Frames.HeadBytes);
        var at = 1 + (payload.Length - 1) * a / 256;
        var (isHeaders, stream) = (last[3] == Http2Frames.Headers, Http2Frames.Stream(last));
        var first = (byte)(isHeaders ? last[4] & ~Http2Frames.EndHeaders : last[4] & ~Http2Frames.EndStream);
        var second = (byte)(isHeaders ? last[4] & Http2Frames.EndHeaders : last[4]);
        frames[^1] = Http2Frames.Frame(last[3], first, stream, payload[..at]);
        frames.Add(Http2Frames.Frame(isHeaders ? Http2Frames.Continuation : Http2Frames.Data, second, stream, payload[at..]));
    }

    /// <summary>Mostly few and odd, as clients number them.</summary>
    private static uint Stream(byte a) => a < 200 ? (uint)(a % 8 * 2 + 1) : Numbers[a % Numbers.Length];

    private static byte[] Gzip(byte[] message)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest)) gzip.Write(message);
        return packed.ToArray();
    }
}
