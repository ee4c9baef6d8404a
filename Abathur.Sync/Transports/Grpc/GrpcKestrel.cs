using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>Settings of Kestrel for long streams of large messages.</summary>
internal static class GrpcKestrel
{
    /// <summary>
    /// Bytes that a client may send on a connection before its calls have read them. With Kestrel's default of 1 MiB (768 KiB per stream),
    /// each of a thousand connections whose calls do not read would hold that much.
    /// </summary>
    public const int WindowBytes = 256 * 1024;

    /// <summary>The connection preface of HTTP/2 (RFC 9113, 3.4).</summary>
    private static readonly byte[] Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    /// <summary>Sets the server-wide limits. Streams of any length and rate are allowed; their number is bounded.</summary>
    /// <param name="limits">Kestrel's limits.</param>
    /// <param name="maxStreamsPerConnection">
    /// Calls that may run at once on one connection. With Kestrel's default of 100, the 101st subscription of one grpcio
    /// channel would wait without an error.
    /// </param>
    public static void SetLimits(KestrelServerLimits limits, int maxStreamsPerConnection = 1000)
    {
        limits.Http2.MaxStreamsPerConnection = maxStreamsPerConnection;
        limits.Http2.InitialConnectionWindowSize = WindowBytes;
        limits.Http2.InitialStreamWindowSize = WindowBytes;
        limits.Http2.KeepAlivePingDelay = TimeSpan.FromSeconds(30);
        limits.Http2.KeepAlivePingTimeout = TimeSpan.FromSeconds(20);
        limits.MinResponseDataRate = null;
        limits.MinRequestBodyDataRate = null;
        // Each message has a limit; a client stream as a whole has none.
        limits.MaxRequestBodySize = null;
    }

    /// <summary>Makes a listener use HTTP/2 without TLS, as gRPC clients on the same machine do. With TLS: call it after
    /// UseHttps.</summary>
    /// <param name="listener">The listener.</param>
    /// <param name="prefaceTimeout">
    /// How long a client may take for the first 24 bytes. Then the connection is closed. Kestrel itself waits for them as long as for the
    /// next call.
    /// </param>
    /// <param name="clock">Clock of the timeout; null: the system's.</param>
    public static void UseGrpc(this ListenOptions listener, TimeSpan? prefaceTimeout = null, TimeProvider? clock = null)
    {
        listener.Protocols = HttpProtocols.Http2;
        listener.Use(next => connection =>
        {
            // Kestrel makes the items on first use, without a lock: calls that arrive together would each get their own, and with them a
            // byte budget of their own.
            _ = connection.Items;
            return next(connection);
        });
        if (prefaceTimeout is not { } timeout) return;
        listener.Use(next => async connection =>
        {
            if (await ReceivesPrefaceAsync(connection.Transport.Input, timeout, clock ?? TimeProvider.System)) await next(connection);
            else connection.Abort();
        });
    }

    /// <summary>Whether the preface, or something that is not the preface, arrives in time. Nothing is consumed: Kestrel answers clients of
    /// other protocols.</summary>
    private static async Task<bool> ReceivesPrefaceAsync(PipeReader input, TimeSpan timeout, TimeProvider clock)
    {
        using var limit = new CancellationTokenSource(timeout, clock);
        try
        {
            while (true)
            {
                var read = await input.ReadAsync(limit.Token);
                var isDecided = IsDecided(read.Buffer) || read.IsCompleted;
                // Examined bytes are not given to the next reader before more bytes have arrived.
                input.AdvanceTo(read.Buffer.Start, isDecided ? read.Buffer.Start : read.Buffer.End);
                if (isDecided) return true;
            }
        }
        catch (Exception e) when (e is OperationCanceledException or IOException or ConnectionAbortedException)
        {
            return false;
        }
    }

    private static bool IsDecided(ReadOnlySequence<byte> received)
    {
        Span<byte> start = stackalloc byte[(int)Math.Min(received.Length, Preface.Length)];
        received.Slice(0, start.Length).CopyTo(start);
        return start.Length == Preface.Length || !Preface.AsSpan().StartsWith(start);
    }
}
