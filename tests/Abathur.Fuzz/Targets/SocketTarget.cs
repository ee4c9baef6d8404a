using System.Buffers.Binary;
using System.Net.Sockets;
using Abathur.Sync.V1;
using Google.Protobuf;
using Encoding = System.Text.Encoding;

namespace Abathur.Fuzz.Targets;

/// <summary>The raw socket of a running daemon: the first line, and what follows it.</summary>
internal sealed class SocketTarget : IFuzzTarget
{
    private const int CheckEach = 50;
    private static readonly byte[] Match = Encoding.ASCII.GetBytes("{\"match\":");
    private static readonly byte[] Result = Encoding.ASCII.GetBytes("{\"result\":");
    private static readonly byte[] Error = Encoding.ASCII.GetBytes("{\"error\":");
    private readonly FuzzDaemon _daemon = new(FuzzPort.Socket);
    private int _count;

    public string Name => "socket";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        .. new[]
        {
            "\n", "\r\n", "{\"subscribe\":{}}\n", "\"policy\":\"every\"", "\"policy\":\"lockstep\"", "\"encoding\":\"proto\"",
            "\"encoding\":\"columns\"", "\"compression\":\"zstd_stream\"",
            "\"fieldMask\":\"observation.gameLoop\"", "\"credits\":1", "\"bufferFrames\":4294967295",
            "{\"ack\":{\"sequence\":\"18446744073709551615\"}}\n", "{\"act\":{}}\n", "{\"control\":{\"pause\":{}}}\n",
            "{\"publish\":{}}\n", "{\"id\":9,\"status\":{}}\n", "{\"timeline\":{}}\n", "{\"draw\":{}}\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u0000", "{{{{", "[[[[", "\"lockstepTimeout\":\"1s\"",
        }.Select(Encoding.UTF8.GetBytes),
        [4, 0, 0, 0, 0x0A, 2, 8, 1], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0x10, 0],
    ];

    public int MaxBytes => 5000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        foreach (var encoding in new[] { "json", "proto", "columns" })
        {
            foreach (var policy in new[] { "latest", "every", "lockstep" })
            {
                byte[] line = Encoding.UTF8.GetBytes(
                    $"{{\"subscribe\":{{\"policy\":\"{policy}\",\"encoding\":\"{encoding}\",\"credits\":2,\"name\":\"fuzz\"}}}}\n");
                yield return line;
                yield return encoding == "json"
                    ? [.. line, .. Encoding.UTF8.GetBytes(
                        "{\"ack\":{\"sequence\":\"3\"}}\n{\"id\":7,\"control\":{\"pause\":{}}}\n{\"id\":8,\"act\":{\"actions\":[{}]}}\n")]
                    : [
                        .. line,
                        .. Prefixed(new ClientMessage { Ack = new Ack { Sequence = 3 } }),
                        .. Prefixed(new ClientMessage { Id = 7, Control = new ControlRequest { Pause = new() } }),
                    ];
            }
        }
        yield return Encoding.UTF8.GetBytes(
            "{\"subscribe\":{\"compression\":\"zstd\",\"encoding\":\"proto\","
            + "\"fieldMask\":\"observation.gameLoop,observation.rawData\",\"everyGameLoops\":3}}\n");
        yield return Encoding.UTF8.GetBytes("{\"id\":1,\"status\":{}}\n{\"id\":2,\"act\":{}}\n{\"id\":3,\"timeline\":{}}\n");
        yield return Encoding.UTF8.GetBytes("{\"publish\":{\"encoding\":\"json\",\"match\":{\"mapName\":\"x\"}}}\n");
    }

    public int Run(byte[] input)
    {
        var received = new List<byte>();
        int outcome;
        using (var socket = _daemon.Connect())
        {
            FuzzDaemon.Send(socket, input);
            // Without a whole line the daemon waits for the rest of it.
            if (!input.Contains((byte)'\n')) ShutDown(socket);
            var isThere = FuzzDaemon.Receive(socket, received, bytes => bytes.Contains((byte)'\n'));
            outcome = Judge(received, isThere, out var isOpen);
            if (isOpen)
            {
                ShutDown(socket);
                FuzzDaemon.Receive(socket, received, _ => false);
            }
        }
        if (++_count % CheckEach == 0) _daemon.CheckIsUnharmed();
        else _daemon.CheckQuiet();
        return HashCode.Combine(outcome, Check.Bucket(received.Count));
    }

    public void Dispose() => _daemon.Dispose();

    // A first line that subscribes or publishes is answered by the match, one that asks by a result or by an error that ends nothing.
    private static int Judge(List<byte> received, bool isLine, out bool isOpen)
    {
        isOpen = false;
        // Who closes without having said anything may be left without an answer.
        if (received.Count == 0) return 0;
        Check.That(isLine, $"the answer is no whole line: {FuzzDaemon.Text(received)}");
        isOpen = true;
        if (StartsWith(received, Match)) return 1;
        if (StartsWith(received, Result)) return 2;
        Check.That(StartsWith(received, Error), $"the answer is no match, result or error: {FuzzDaemon.Text(received)}");
        var line = Encoding.UTF8.GetString([.. received.TakeWhile(each => each != '\n')]);
        var error = JsonParser.Default.Parse<ServerMessage>(line).Error;
        Check.That(error is { Code.Length: > 0, Message.Length: > 0 }, $"an error that does not say what: {line}");
        isOpen = !error.Fatal;
        return string.Concat(error.Message.Where(char.IsAsciiLetter).Take(40)).GetHashCode(StringComparison.Ordinal);
    }

    private static void ShutDown(Socket socket)
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

    private static bool StartsWith(List<byte> received, byte[] start) =>
        received.Count >= start.Length && received.Take(start.Length).SequenceEqual(start);

    private static byte[] Prefixed(ClientMessage message)
    {
        var bytes = new byte[4 + message.CalculateSize()];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, bytes.Length - 4);
        message.WriteTo(bytes.AsSpan(4));
        return bytes;
    }
}
