namespace Abathur.Sync.Sources.Proxy;

/// <summary>The place of a chunk of bytes in the order of a <see cref="TapQueue"/>, with the messages that end in the chunk.</summary>
internal sealed class TapSlot
{
    private const int Open = 0;
    private const int Awaited = 1;
    private const int Complete = 2;

    private Queue<TappedMessage>? _messages;
    private int _state;

    /// <summary>Whether the slot was dropped because the queue was full. Its messages are not kept.</summary>
    public bool IsDropped { get; init; }

    /// <summary>Whether a message ends in the chunk.</summary>
    public bool HasMessages => _messages is not null;

    /// <summary>Adds a message. Before <see cref="TryComplete"/>, by the thread that passes the chunk.</summary>
    public void Add(in TappedMessage message) => (_messages ??= new Queue<TappedMessage>()).Enqueue(message);

    /// <summary>Nothing more is added. True if the reader waits for this slot.</summary>
    public bool TryComplete() => Interlocked.Exchange(ref _state, Complete) == Awaited;

    /// <summary>Whether the slot is complete. If not, <see cref="TryComplete"/> will return true.</summary>
    public bool IsCompleteOrAwait() => Interlocked.CompareExchange(ref _state, Awaited, Open) == Complete;

    /// <summary>Takes the next message of a complete slot.</summary>
    public bool TryTake(out TappedMessage message)
    {
        message = default;
        return _messages?.TryDequeue(out message) == true;
    }
}
