using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Abathur.Sync.Frames;

namespace Abathur.Benchmarks.Baseline;

/// <summary>
/// The plainest server of the same frames, as the measure of what is possible: plays a recording with the daemon's own
/// reader and clock, and writes each frame to each TCP client with nothing around it.
/// </summary>
/// <remarks>
/// Grammar of the stream: <c>message*</c>, where a message is <c>length:u32 published_monotonic_ns:i64 payload</c>, little-endian; the
/// length counts stamp and payload.
/// </remarks>
internal sealed class BaselineServer(BaselineOptions options, TimeProvider clock) : IDisposable
{
    private const int LengthBytes = 4;
    private const int StampBytes = 8;
    private const int QueueFrames = 64;
    private readonly TcpListener _listener = new(IPAddress.Loopback, options.Port);
    private readonly BaselinePlayback _playback = new(options, clock);
    private volatile BaselineClient[] _clients = [];

    /// <summary>Serves until standard input is closed, or cancelled. Prints "ready baseline=ADDRESS" when clients may come.</summary>
    public static async Task<int> RunAsync(BaselineOptions options, CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var server = new BaselineServer(options, TimeProvider.System);
        server._listener.Start();
        Console.WriteLine($"ready baseline={server._listener.LocalEndpoint}");
        var parent = Task.Run(Console.In.ReadToEnd, CancellationToken.None);
        var serving = Task.WhenAll(server.AcceptAsync(stop.Token), server.PublishAsync(stop.Token));
        await Task.WhenAny(parent, serving);
        await stop.CancelAsync();
        try
        {
            await serving;
        }
        catch (OperationCanceledException)
        {
            // As asked for.
        }
        return 0;
    }

    public void Dispose()
    {
        _listener.Dispose();
        _playback.Dispose();
    }

    private async Task AcceptAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            var client = new BaselineClient(
                await _listener.AcceptSocketAsync(cancellationToken), options.Unlimited ? QueueFrames : 1, skips: !options.Unlimited);
            _clients = [.. _clients.Where(each => !each.Sending.IsCompleted), client];
            _playback.Join();
        }
    }

    private Task PublishAsync(CancellationToken cancellationToken) => _playback.RunAsync(
        () => Array.Exists(_clients, each => !each.Sending.IsCompleted),
        async (_, observation) =>
        {
            var message = Write(observation.Payload.Span);
            foreach (var client in _clients) await client.OfferAsync(message);
            message.Release();
        },
        cancellationToken);

    private SharedBuffer Write(ReadOnlySpan<byte> payload)
    {
        var bytes = LengthBytes + StampBytes + payload.Length;
        var message = SharedBuffer.Rent(bytes);
        var span = message.GetSpan(bytes);
        payload.CopyTo(span[(LengthBytes + StampBytes)..]);
        BinaryPrimitives.WriteUInt32LittleEndian(span, (uint)(StampBytes + payload.Length));
        BinaryPrimitives.WriteInt64LittleEndian(span[LengthBytes..], FrameStamp.Now(clock).MonotonicNs);
        message.Advance(bytes);
        return message;
    }
}
