using System.Buffers.Binary;
using System.Net.Sockets;
using Abathur.Sync.Transports.WebSocket;
using Abathur.Sync.V1;
using Google.Protobuf;
using Encoding = System.Text.Encoding;

namespace Abathur.Fuzz.Targets;

/// <summary>The WebSocket of a running daemon: frames, and the messages in them.</summary>
internal sealed class WebSocketTarget : IFuzzTarget
{
    private const int CheckEach = 50;
    private const byte Text = 0x81, Binary = 0x82, Close = 0x88, Ping = 0x89, Pong = 0x8A, Continuation = 0x80;
    private readonly FuzzDaemon _daemon = new(FuzzPort.Web);
    private readonly byte[] _head;
    private int _count;

    public WebSocketTarget() => _head = Encoding.ASCII.GetBytes(
        $"GET {WebSocketEndpoint.SyncPath} HTTP/1.1\r\nHost: localhost:{_daemon.Port}\r\nConnection: Upgrade\r\nUpgrade: "
            + "websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n");

    public string Name => "websocket";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        Frame(
            Text,
            "{\"subscribe\":{}}"u8), Frame(Binary, [0x12, 0]), Frame(Ping, []), Frame(Pong, "x"u8), Frame(Close, [0x03, 0xE8]), Frame(Close,
            []), Frame(Close, [0x03]),
        Frame(Continuation, []), Frame(0x01, "{"u8), Frame(0x02, []), [0x81, 0xFE, 0xFF, 0xFF], [
            0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        ], [0xC1, 0x80, 0, 0, 0, 0],
        [0x83, 0x80, 0, 0, 0, 0], "\"policy\":\"every\""u8.ToArray(), "\"encoding\":\"columns\""u8.ToArray(), [0xED, 0xA0, 0x80],
    ];

    public int MaxBytes => 5000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        foreach (var policy in new[] { "latest", "every", "lockstep" })
        {
            yield return Frame(Text, Encoding.UTF8.GetBytes($"{{\"subscribe\":{{\"policy\":\"{policy}\",\"credits\":2}}}}"));
            yield return
            [
                .. Frame(
                    Text,
                    Encoding.UTF8.GetBytes(
                        $"{{\"subscribe\":{{\"policy\":\"{policy}\"}}}}")), .. Frame(Ping, "hi"u8), .. Frame(0x01, "{\"ack\":"u8),
                .. Frame(Continuation, "{\"sequence\":\"1\"}}"u8), .. Frame(
                    Text, "{\"id\":3,\"control\":{\"pause\":{}}}"u8), .. Frame(Close, [0x03, 0xE8]),
            ];
        }
        var subscribe = new ClientMessage
        {
            Subscribe = new SubscribeRequest { Encoding = Abathur.Sync.V1.Encoding.Columns, Name = "fuzz" },
        }.ToByteArray();
        yield return [
            .. Frame(Binary, subscribe),
            .. Frame(Binary, new ClientMessage { Id = 1, Act = new ActRequest() }.ToByteArray()),
            .. Frame(Close, []),
        ];
    }

    public int Run(byte[] input)
    {
        var received = new List<byte>();
        int outcome;
        using (var socket = _daemon.Connect())
        {
            FuzzDaemon.Send(socket, _head);
            Check.That(FuzzDaemon.Receive(socket, received, HasHead), "no answer to the handshake");
            var head = Encoding.ASCII.GetString([.. received]);
            Check.That(head.StartsWith("HTTP/1.1 101 ", StringComparison.Ordinal), $"refused: {head}");
            received.RemoveRange(0, head.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4);
            FuzzDaemon.Send(socket, input);
            // The end of what is sent ends the session: until then it may go on for ever.
            try
            {
                socket.Shutdown(SocketShutdown.Send);
            }
            catch (SocketException)
            {
                // It is closed already.
            }
            FuzzDaemon.Receive(socket, received, _ => false);
            outcome = Judge(received);
        }
        if (++_count % CheckEach == 0) _daemon.CheckIsUnharmed();
        else _daemon.CheckQuiet();
        return outcome;
    }

    public void Dispose() => _daemon.Dispose();

    /// <summary>What comes back is frames without a mask, of kinds that there are, and nothing behind a close. The last may be cut
    /// off.</summary>
    private static int Judge(List<byte> received)
    {
        var outcome = new HashCode();
        ReadOnlySpan<byte> rest = received.ToArray();
        var (frames, isClosed) = (0, false);
        while (rest.Length >= 2)
        {
            var (kind, length, head) = (rest[0], (ulong)rest[1], 2);
            Check.That(kind is Text or Binary or Close or Ping or Pong, $"a frame of kind {kind:x2}");
            Check.That(length < 0x80, "a frame with a mask");
            if (length >= 126) head += length == 126 ? 2 : 8;
            if (rest.Length < head) break;
            if (length >= 126)
                length = head == 4 ? BinaryPrimitives.ReadUInt16BigEndian(rest[2..]) : BinaryPrimitives.ReadUInt64BigEndian(rest[2..]);
            if ((ulong)(rest.Length - head) < length) break;
            var payload = rest.Slice(head, (int)length);
            rest = rest[(head + (int)length)..];
            if (frames++ < 4) outcome.Add(kind);
            // A ping is still answered then (RFC 6455, 5.5.2).
            Check.That(!isClosed || kind == Pong, "something follows the close");
            if (kind != Close) continue;
            isClosed = true;
            Check.That(payload.Length != 1, "a close with half a status");
            outcome.Add(payload.Length >= 2 ? BinaryPrimitives.ReadUInt16BigEndian(payload) : 0);
        }
        outcome.Add(Math.Min(frames, 6));
        return outcome.ToHashCode();
    }

    private static bool HasHead(List<byte> received)
    {
        for (var i = 3; i < received.Count; i++)
        {
            if (received[i] == '\n' && received[i - 1] == '\r' && received[i - 2] == '\n' && received[i - 3] == '\r') return true;
        }
        return false;
    }

    // The mask is all zeros, so that mutations of the payload are what they look like.
    private static byte[] Frame(byte kind, ReadOnlySpan<byte> payload)
    {
        byte[] head = payload.Length < 126
            ? [kind, (byte)(0x80 | payload.Length)]
            : [kind, 0xFE, (byte)(payload.Length >> 8), (byte)payload.Length];
        return [.. head, 0, 0, 0, 0, .. payload];
    }
}
