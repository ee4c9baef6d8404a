using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Abathur.Recordings;
using Abathur.Sync.Frames;
using Abathur.Sync.Scheduling;
using Abathur.Sync.Sources.Playback;

namespace Abathur.Benchmarks.Floor;

/// <summary>
/// The plainest server of the same frames, as the measure of what is possible: plays a recording with the daemon's own
/// reader and clock, and writes each frame to each TCP client with nothing around it.
/// </summary>
/// <remarks>
/// Grammar of the stream: <c>message*</c>, where a message is <c>length:u32 published_monotonic_ns:i64 payload</c>, little-endian; the
/// length counts stamp and payload.
/// </remarks>
internal sealed class FloorServer(FloorOptions options, TimeProvider clock) : IDisposable
{
    private const int LengthBytes = 4;
    private const int StampBytes = 8;
    private const int QueueFrames = 64;
    private readonly TcpListener _listener = new(IPAddress.Loopback, options.Port);
    private readonly AsyncAutoResetEvent _joined = new(clock);
    private volatile FloorClient[] _clients = [];

    /// <summary>Serves until standard input is closed, or cancelled. Prints "ready floor=ADDRESS" when clients may come.</summary>
    public static async Task<int> RunAsync(FloorOptions options, CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        using var server = new FloorServer(options, TimeProvider.System);
        server._listener.Start();
        Console.WriteLine($"ready floor={server._listener.LocalEndpoint}");
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
        _joined.Dispose();
    }

    private async Task AcceptAsync(CancellationToken cancellation)
    {
        while (true)
        {
            var client = new FloorClient(
                await _listener.AcceptSocketAsync(cancellation), options.Unlimited ? QueueFrames : 1, skips: !options.Unlimited);
            _clients = [.. _clients.Where(each => !each.Sending.IsCompleted), client];
            _joined.Set();
        }
    }

    private async Task PublishAsync(CancellationToken cancellation)
    {
        await using var stopping = cancellation.Register(_joined.Set);
        using var recording = RecordingReader.Open(options.Recording, cancellation: cancellation);
        var tickHz = recording.Match.TickHz;
        var first = (uint)(recording.FirstGameLoop + (options.StartOffset * tickHz));
        var last = options.Duration is { } seconds ? first + (uint)(seconds * tickHz) : recording.LastGameLoop;
        var pacer = new TickPacer(tickHz, clock) { Rate = options.Unlimited ? 0 : 1 };
        recording.SeekToGameLoop(first);
        while (!cancellation.IsCancellationRequested)
        {
            if (Array.TrueForAll(_clients, each => each.Sending.IsCompleted))
            {
                await _joined.WaitAsync();
                pacer.Jump();
            }
            if (!recording.ReadNext(out var observation) || observation.GameLoop > last)
            {
                recording.SeekToGameLoop(first);
                pacer.Jump();
                continue;
            }
            var wait = pacer.DueIn(observation.GameLoop);
            if (wait >= TimeSpan.FromMilliseconds(1)) await Task.Delay(wait, clock, cancellation);
            pacer.Advance(observation.GameLoop);
            var message = Write(observation.Payload.Span);
            foreach (var client in _clients) await client.OfferAsync(message);
            message.Release();
        }
    }

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
