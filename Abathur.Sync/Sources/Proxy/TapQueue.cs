using System.Collections.Concurrent;
using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// The messages of both directions in the order of cause and effect. A slot is reserved before the bytes of a chunk are sent, and completed
/// when its messages have been
/// copied: what the receiver sends in reply has a later slot, even when it is copied earlier. Bounded; messages that do not fit are dropped
/// and counted.
/// </summary>
/// <remarks>Two threads add, one reads. No call blocks.</remarks>
internal sealed class TapQueue(TimeProvider clock) : IDisposable
{
    /// <summary>Bytes of messages that may be queued. One message is always accepted, however large it is.</summary>
    private const long MaxWaitingBytes = 64 * 1024 * 1024;

    /// <summary>Bytes of requests that may be queued until the game's answer before the reader is woken.</summary>
    private const long MaxUnseenBytes = 1024 * 1024;

    /// <summary>Slots that may be queued; some of them are empty, because no message ends in their chunk.</summary>
    private const int MaxSlots = 65_536;

    private readonly ConcurrentQueue<TapSlot> _slots = new();
    private readonly AsyncAutoResetEvent _arrived = new(clock);
    private volatile bool _isClosed;
    private int _slotCount;
    private long _waitingBytes;
    private long _dropped;

    /// <summary>Whether nothing is added any more.</summary>
    public bool IsClosed => _isClosed;

    /// <summary>Messages that did not fit.</summary>
    public long Dropped => Interlocked.Read(ref _dropped);

    /// <summary>Reserves the next place in the order. Call before the chunk is sent; <see cref="Complete"/> must follow, also after an
    /// error.</summary>
    public TapSlot Reserve()
    {
        if (Interlocked.Increment(ref _slotCount) > MaxSlots)
        {
            Interlocked.Decrement(ref _slotCount);
            return new TapSlot { IsDropped = true };
        }
        var slot = new TapSlot();
        _slots.Enqueue(slot);
        return slot;
    }

    /// <summary>Adds a message and takes over its reference.</summary>
    public void Add(TapSlot slot, in TappedMessage message)
    {
        // Its allocated memory, so that the limit also applies to many small messages.
        var bytes = message.Payload.CapacityBytes;
        var waiting = Interlocked.Add(ref _waitingBytes, bytes);
        if (!slot.IsDropped && (waiting <= MaxWaitingBytes || waiting == bytes))
        {
            slot.Add(message);
            return;
        }
        Interlocked.Add(ref _waitingBytes, -bytes);
        Interlocked.Increment(ref _dropped);
        message.Payload.Release();
    }

    /// <summary>The chunk has been sent, and its messages have been added.</summary>
    /// <param name="slot">Its slot.</param>
    /// <param name="fromGame">Whether the game sent it. Waking the reader needs a processor, which the game needs for its answer, so a
    /// request is read together with its answer.</param>
    public void Complete(TapSlot slot, bool fromGame)
    {
        var wakes = slot.HasMessages && (fromGame || Interlocked.Read(ref _waitingBytes) > MaxUnseenBytes);
        if (slot.TryComplete() || wakes) _arrived.Set();
    }

    /// <summary>The next message, whose reference is the caller's; false if none is complete.</summary>
    public bool TryTake(out TappedMessage message)
    {
        while (_slots.TryPeek(out var slot) && slot.IsCompleteOrAwait())
        {
            if (slot.TryTake(out message))
            {
                Interlocked.Add(ref _waitingBytes, -message.Payload.CapacityBytes);
                return true;
            }
            _slots.TryDequeue(out _);
            Interlocked.Decrement(ref _slotCount);
        }
        message = default;
        return false;
    }

    /// <summary>Waits until there may be a message, or the queue is closed.</summary>
    public async ValueTask WaitAsync() => await _arrived.WaitAsync();

    /// <summary>Call it when no more messages are added. Queued messages can still be taken.</summary>
    public void Close()
    {
        _isClosed = true;
        _arrived.Set();
    }

    /// <inheritdoc/>
    public void Dispose() => _arrived.Dispose();
}
