using System.Net.Sockets;
using Abathur.Sync.Tests.Transports.Grpc;
using static Abathur.Fuzz.Targets.Http2Script;

namespace Abathur.Fuzz.Targets;

/// <summary>
/// HTTP/2 and gRPC of a running daemon: a client's bytes behind the preface. The lowest bit of an input's first byte says whether what
/// follows is a script (<see cref="Http2Script"/>) or the bytes themselves, the next whether they come whole or in pieces. A connection
/// that
/// was sent whole frames is asked something right behind them: it answers, or it is closed. Another client reads frames all the time.
/// </summary>
internal sealed class Http2Target : IFuzzTarget
{
    private const int CheckEach = 100;
    private const int PieceBytes = 7;
    private const uint LastStream = 0x7FFF_FFFF;
    private static readonly byte[] SentByServers =
    [
        Http2Frames.Data, Http2Frames.Headers, Http2Frames.Reset, Http2Frames.Settings, Http2Frames.Ping, Http2Frames.GoAway,
        Http2Frames.WindowUpdate, Http2Frames.Continuation,
    ];

    private static readonly byte[] PingAnswer = [0, 0, 8, Http2Frames.Ping, Http2Frames.Ack, 0, 0, 0, 0, .. "fuzzping"u8];
    private static readonly byte[] Question =
    [
        .. Http2Frames.Frame(
            Http2Frames.Headers, Http2Frames.EndHeaders, LastStream, Http2Frames.Call("/abathur.sync.v1.GameSync/GetMatch")),
        .. Http2Frames.Frame(Http2Frames.Data, Http2Frames.EndStream, LastStream, GrpcFrames.Frame([])),
        .. Http2Frames.Frame(Http2Frames.Ping, 0, 0, "fuzzping"u8),
    ];

    // Kestrel's own: a header block whose padding and priority are longer than its frame ends the connection so, not with PROTOCOL_ERROR.
    // It tells, too, that it ends a connection with too many answers which the client does not read; a busy machine writes them late.
    private readonly FuzzDaemon _daemon = new(FuzzPort.Grpc)
    {
        Tolerated =
        [
            "Connection processing ended abnormally.: ArgumentOutOfRangeException",
            "exceeded the output operations maximum queue size",
        ],
    };
    private readonly SteadyReader _reader;
    private int _count;
    private int _answered;

    public Http2Target()
    {
        _reader = new SteadyReader(_daemon.Port);
        Run([0]);
        Check.That(_answered == 1, "a client in order gets no answer");
    }

    public string Name => "http2";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        .. Enumerable.Range(0, 18).Select(kind => Step(kind, 0, 1)), Step(1, 0, 1, 1), Step(0, 0, 2), Step(8, 0, 17, 4),
        .. Enumerable.Range(0, 10).Select(type => Http2Frames.Frame((byte)type, 0, 1, [])), [0, 0x40, 1], [0x80, 0, 0, 0],
    ];

    public int MaxBytes => 4000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        // Each call, with what it takes; two at once; credit, pings, resets between them.
        List<byte[]> scripts =
        [
            .. from block in Enumerable.Range(0, 12)
               from body in new[] { 0, 1, 3, 6 }
               select (byte[])[.. Step(2), .. Step(0, 0, block), .. Step(1, 0, body, block % 2)],
            [
                .. Step(0, 0, 1), .. Step(0, 1, 2), .. Step(1, 0, 1, 1), .. Step(1, 1, 3), .. Step(3, 200, 9),
                .. Step(1, 1, 4), .. Step(4, 0, 8), .. Step(5),
            ],
            [.. Step(0, 0, 1), .. Step(17, 100), .. Step(1, 0, 1, 1), .. Step(17, 60), .. Step(6, 0, 1)],
        ];
        foreach (var script in scripts)
        {
            yield return [(byte)(random.Next(2) * 2), .. script];
            yield return [1, .. Http2Frames.Preface, .. Play(script)];
        }
    }

    public int Run(byte[] input)
    {
        if (input.Length < 1) return 0;
        byte[] sent = input[0] % 2 == 0 ? [.. Http2Frames.Preface, .. Play(input.AsSpan(1))] : input[1..];
        var isWhole = sent.AsSpan().StartsWith(Http2Frames.Preface) && Http2Frames.AreWhole(sent.AsSpan(Http2Frames.Preface.Length));
        var received = new List<byte>();
        using (var socket = _daemon.Connect())
        {
            Send(socket, sent, isInPieces: (input[0] & 2) != 0);
            if (isWhole)
            {
                FuzzDaemon.Send(socket, Question);
                if (FuzzDaemon.Receive(socket, received, HasAnswers)) _answered++;
            }
            Close(socket);
            FuzzDaemon.Receive(socket, received, _ => false);
        }
        var outcome = Judge(received);
        if (++_count % CheckEach == 0) CheckAll();
        else _daemon.CheckQuiet();
        return HashCode.Combine(outcome, isWhole);
    }

    public void Dispose()
    {
        CheckAll();
        _reader.Dispose();
        _daemon.Dispose();
    }

    private void CheckAll()
    {
        _reader.CheckGoesOn();
        _daemon.CheckIsUnharmed(others: 1);
    }

    private static void Send(Socket socket, ReadOnlySpan<byte> bytes, bool isInPieces)
    {
        if (isInPieces)
        {
            // The first ones: heads that come in two parts, of frames and of messages.
            for (var pieces = 0; pieces < 12 && bytes.Length > PieceBytes; pieces++)
            {
                FuzzDaemon.Send(socket, bytes[..PieceBytes]);
                bytes = bytes[PieceBytes..];
            }
        }
        FuzzDaemon.Send(socket, bytes);
    }

    private static void Close(Socket socket)
    {
        try
        {
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // It is closed already.
        }
    }

    /// <summary>The ping, and the call: an answer, or that it is refused.</summary>
    private static bool HasAnswers(List<byte> received)
    {
        var bytes = received.ToArray().AsSpan();
        var (isPinged, isAnswered) = (false, false);
        while (Next(ref bytes, out var frame))
        {
            isPinged |= frame.SequenceEqual(PingAnswer);
            isAnswered |= frame[3] is Http2Frames.Headers or Http2Frames.Reset && Http2Frames.Stream(frame) == LastStream;
        }
        return isPinged && isAnswered;
    }

    /// <summary>What comes back is frames that a server sends, settings first, and HTTP's 200 for the call. The last may be cut
    /// off.</summary>
    private static int Judge(List<byte> received)
    {
        var outcome = new HashCode();
        var bytes = received.ToArray().AsSpan();
        for (var frames = 0; Next(ref bytes, out var frame); frames++)
        {
            var type = frame[3];
            Check.That(SentByServers.Contains(type), $"a frame of type {type}");
            Check.That(frames > 0 || type is Http2Frames.Settings or Http2Frames.GoAway, $"the first frame is of type {type}");
            Check.That(frame.Length <= Http2Frames.HeadBytes + (1 << 24), "a frame that is too long");
            // 8: indexed, ":status: 200"; before it the size of a table that was changed.
            var isFirst = type == Http2Frames.Headers && Http2Frames.Stream(frame) == LastStream;
            Check.That(!isFirst
                || frame[Http2Frames.HeadBytes..].Contains((byte)0x88)
                || (frame[4] & Http2Frames.EndStream) != 0, "a call that is in order is refused by HTTP");
            if (type is Http2Frames.Reset or Http2Frames.GoAway) outcome.Add(frame[^1]);
            if (frames < 8 || type is Http2Frames.Reset or Http2Frames.GoAway) outcome.Add((type, frame[4]));
        }
        return outcome.ToHashCode();
    }

    private static bool Next(ref Span<byte> bytes, out Span<byte> frame)
    {
        frame = default;
        if (bytes.Length < Http2Frames.HeadBytes) return false;
        var length = Http2Frames.HeadBytes + Http2Frames.Length(bytes);
        if (bytes.Length < length) return false;
        frame = bytes[..length];
        bytes = bytes[length..];
        return true;
    }
}
