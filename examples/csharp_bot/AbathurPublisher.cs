using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Abathur.Examples;

/// <summary>
/// Gives a bot's observations to a daemon that waits for them (<c>abathur serve</c>), over its socket. Needs nothing but .NET. One
/// task at a
/// time.
/// </summary>
/// <example>
/// <code>
/// using var publisher = AbathurPublisher.Connect("127.0.0.1", 22401, mapName: "Acropolis LE");
/// // For each answer of the game:
/// publisher.Publish(response.Observation.ToByteArray());
/// // After the match:
/// publisher.Finish();
/// </code>
/// </example>
public sealed class AbathurPublisher : IDisposable
{
    // Field numbers of abathur.sync.v1.PublishRequest, each with the wire type of a length-delimited field.
    private const byte ObservationTag = (2 << 3) | 2;
    private const byte ActionsTag = (3 << 3) | 2;
    private const byte EndTag = (4 << 3) | 2;
    private const int MaxVarintBytes = 5;
    private const int LengthBytes = 4;

    private readonly TcpClient _client;
    private readonly NetworkStream _stream;

    private AbathurPublisher(TcpClient client)
    {
        _client = client;
        _stream = client.GetStream();
    }

    /// <summary>Connects, and says what is known of the match.</summary>
    /// <param name="host">Where the daemon is.</param>
    /// <param name="port">Its socket port; 22401 unless it was told otherwise.</param>
    /// <param name="mapName">Name of the map.</param>
    /// <param name="playerId">The bot's player id.</param>
    /// <exception cref="SocketException">No daemon answers.</exception>
    /// <exception cref="IOException">The daemon refuses; the message says why.</exception>
    public static AbathurPublisher Connect(string host, int port, string mapName = "", int playerId = 0)
    {
        var publisher = new AbathurPublisher(new TcpClient(host, port) { NoDelay = true });
        try
        {
            var start = new { publish = new { encoding = "proto", match = new { mapName, playerId } } };
            publisher._stream.Write([.. JsonSerializer.SerializeToUtf8Bytes(start), (byte)'\n']);
            var answer = publisher.ReadLine();
            if (!answer.StartsWith("{\"match\"", StringComparison.Ordinal)) throw new IOException($"the daemon refuses: {answer}");
            return publisher;
        }
        catch
        {
            publisher.Dispose();
            throw;
        }
    }

    /// <summary>Gives the next observation. Waits where the daemon is slower.</summary>
    /// <param name="responseObservation">A serialized <c>SC2APIProtocol.ResponseObservation</c>.</param>
    /// <exception cref="IOException">The daemon is gone, or refuses it.</exception>
    public void Publish(ReadOnlySpan<byte> responseObservation) => Send(ObservationTag, responseObservation);

    /// <summary>Says what the bot did upon the newest observation; it goes into the daemon's recording.</summary>
    /// <param name="requestAction">A serialized <c>SC2APIProtocol.RequestAction</c>.</param>
    /// <exception cref="IOException">The daemon is gone, or refuses it.</exception>
    public void PublishActions(ReadOnlySpan<byte> requestAction) => Send(ActionsTag, requestAction);

    /// <summary>Says that nothing follows, and waits until the daemon has taken all.</summary>
    /// <exception cref="IOException">The daemon is gone, or has refused something.</exception>
    public void Finish()
    {
        Send(EndTag, []);
        // The answer, and then the end of the connection.
        Span<byte> length = stackalloc byte[LengthBytes];
        _stream.ReadExactly(length);
        if (length[0] == '{') throw new IOException($"the daemon refuses: {Encoding.UTF8.GetString(length)}{ReadLine()}");
        _stream.ReadExactly(new byte[BitConverter.ToInt32(length)]);
    }

    /// <summary>Closes the connection. Without <see cref="Finish"/> agents are told that the bot was lost.</summary>
    public void Dispose()
    {
        _stream.Dispose();
        _client.Dispose();
    }

    /// <summary>A message is its length in four bytes, little-endian, and then one field of PublishRequest.</summary>
    private void Send(byte tag, ReadOnlySpan<byte> value)
    {
        Span<byte> head = stackalloc byte[LengthBytes + 1 + MaxVarintBytes];
        var headBytes = LengthBytes;
        head[headBytes++] = tag;
        var rest = (uint)value.Length;
        while (rest > 0x7f)
        {
            head[headBytes++] = (byte)(rest | 0x80);
            rest >>= 7;
        }
        head[headBytes++] = (byte)rest;
        BitConverter.TryWriteBytes(head, headBytes - LengthBytes + value.Length);
        _stream.Write(head[..headBytes]);
        _stream.Write(value);
    }

    private string ReadLine()
    {
        var line = new List<byte>();
        while (_stream.ReadByte() is >= 0 and var value && value != '\n') line.Add((byte)value);
        return Encoding.UTF8.GetString([.. line]);
    }
}
