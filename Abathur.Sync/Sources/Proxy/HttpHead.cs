using System.Net.Sockets;
using System.Text;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>The head of an HTTP request or response: its first line and its header lines, as received.</summary>
internal sealed record HttpHead(string FirstLine, IReadOnlyList<string> Lines)
{
    /// <summary>Longest head that is read, in bytes.</summary>
    public const int MaxBytes = 16 * 1024;

    /// <summary>The status of a response; 0 if this is not a response.</summary>
    public int StatusCode =>
        FirstLine.Split(' ') is [var version, var code, ..]
            && version.StartsWith("HTTP/1.", StringComparison.Ordinal)
            && int.TryParse(code, out var status)
            ? status
            : 0;

    /// <summary>Values of a header, in order.</summary>
    public IEnumerable<string> Values(string name) => Lines
        .Where(line => NameOf(line).Equals(name, StringComparison.OrdinalIgnoreCase))
        .Select(line => line[(line.IndexOf(':') + 1)..].Trim());

    /// <summary>The head without a header.</summary>
    public HttpHead Without(string name) =>
        this with { Lines = [.. Lines.Where(line => !NameOf(line).Equals(name, StringComparison.OrdinalIgnoreCase))] };

    /// <summary>The head with a header that replaces all headers of the same name.</summary>
    public HttpHead With(string name, string value) => this with { Lines = [$"{name}: {value}", .. Without(name).Lines] };

    public byte[] ToBytes() => Encoding.Latin1.GetBytes(string.Join("\r\n", [FirstLine, .. Lines]) + "\r\n\r\n");

    /// <summary>Whether a header, which may be a list, names something.</summary>
    public bool Has(string name, string value) =>
        Values(name)
            .SelectMany(values => values.Split(',', StringSplitOptions.TrimEntries))
            .Any(each => each.Equals(value, StringComparison.OrdinalIgnoreCase));

    /// <summary>Reads a head from a blocking socket; the bytes after it are <paramref name="rest"/>.</summary>
    /// <exception cref="InvalidDataException">It is too long or truncated.</exception>
    /// <exception cref="EndOfStreamException">The peer has closed the connection without sending anything.</exception>
    /// <exception cref="TimeoutException">The head did not arrive in time.</exception>
    /// <exception cref="SocketException">The connection broke.</exception>
    /// <exception cref="ObjectDisposedException">The socket was closed during the read.</exception>
    public static HttpHead Read(Socket socket, TimeSpan timeout, TimeProvider clock, out byte[] rest)
    {
        try
        {
            return Read(socket, (clock, clock.GetTimestamp(), timeout), out rest);
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
        {
            throw new TimeoutException($"no answer within {timeout.TotalSeconds:0.#} s", e);
        }
        finally
        {
            if (!socket.SafeHandle.IsClosed) socket.ReceiveTimeout = 0;
        }
    }

    private static HttpHead Read(Socket socket, (TimeProvider Clock, long Start, TimeSpan Timeout) time, out byte[] rest)
    {
        var bytes = new byte[MaxBytes];
        var length = 0;
        while (true)
        {
            var left = time.Timeout - time.Clock.GetElapsedTime(time.Start);
            if (left <= TimeSpan.Zero) throw new SocketException((int)SocketError.TimedOut);
            // 0 would be no timeout at all.
            socket.ReceiveTimeout = Math.Max(1, (int)left.TotalMilliseconds);
            var received = socket.Receive(bytes.AsSpan(length));
            if (received == 0)
                throw length == 0
                    ? new EndOfStreamException("the connection was closed without an answer")
                    : new InvalidDataException("an HTTP head is cut off");
            length += received;
            var end = bytes.AsSpan(0, length).IndexOf("\r\n\r\n"u8);
            if (end >= 0)
            {
                rest = bytes[(end + 4)..length];
                var lines = Encoding.Latin1.GetString(bytes, 0, end).Split("\r\n");
                return new HttpHead(lines[0], lines[1..]);
            }
            if (length == MaxBytes) throw new InvalidDataException($"an HTTP head is longer than {MaxBytes} bytes");
        }
    }

    private static string NameOf(string line) => line.IndexOf(':') is > 0 and var colon ? line[..colon] : line;
}
