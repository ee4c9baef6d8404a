using Abathur.Sync.Frames;

namespace Abathur.Sync.Matches;

/// <summary>Serialized messages that are shown later, in the order in which they were added. Bounded. Thread-safe.</summary>
/// <param name="maxBytes">Memory for them.</param>
/// <param name="clock">Clock of their times.</param>
internal sealed class MessagesInTime(long maxBytes, TimeProvider clock)
{
    /// <summary>Memory of a message besides its bytes.</summary>
    private const int OwnBytes = 96;

    private readonly Lock _gate = new();
    private readonly LinkedList<(long AtNs, byte[] Message)> _messages = new();
    private long _bytes;

    /// <summary>When the oldest message was added, in nanoseconds of the monotonic clock; null if none waits.</summary>
    public long? FirstNs
    {
        get
        {
            lock (_gate) return _messages.First?.Value.AtNs;
        }
    }

    /// <summary>Number of messages that wait.</summary>
    public int Count
    {
        get
        {
            lock (_gate) return _messages.Count;
        }
    }

    /// <summary>Adds a message. False if there is no room.</summary>
    public bool TryAdd(byte[] message)
    {
        lock (_gate)
        {
            if (!HasRoomFor(message)) return false;
            Append(message);
            return true;
        }
    }

    /// <summary>Adds a message, which replaces the newest ones if there is no room otherwise.</summary>
    public void Replace(byte[] message)
    {
        lock (_gate)
        {
            while (_messages.Last is { } newest && !HasRoomFor(message))
            {
                _bytes -= newest.Value.Message.Length + OwnBytes;
                _messages.RemoveLast();
            }
            Append(message);
        }
    }

    /// <summary>Takes the oldest message, which exists.</summary>
    public byte[] Take()
    {
        lock (_gate)
        {
            var message = _messages.First!.Value.Message;
            _bytes -= message.Length + OwnBytes;
            _messages.RemoveFirst();
            return message;
        }
    }

    private bool HasRoomFor(byte[] message) => _bytes + message.Length + OwnBytes <= maxBytes;

    private void Append(byte[] message)
    {
        // After what it tells has happened: it never counts as older than it is.
        _messages.AddLast((FrameStamp.MonotonicNow(clock), message));
        _bytes += message.Length + OwnBytes;
    }
}
