using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Drawing;

/// <summary>
/// States of a drawing board that are shown later: each is kept until it is taken. Bounded: where there is no room, the newest state
/// replaces those before it. Thread-safe.
/// </summary>
/// <param name="board">The board.</param>
/// <param name="maxBytes">Memory for the states.</param>
internal sealed class DrawingsInTime(DrawingBoard board, long maxBytes)
{
    /// <summary>Memory of a state besides its bytes.</summary>
    private const int StateBytes = 96;

    private readonly Lock _gate = new();
    private readonly LinkedList<State> _states = new();
    private long _bytes;
    private long _seen;

    /// <summary>When the oldest state was current, in nanoseconds of the monotonic clock; null if none waits.</summary>
    public long? FirstNs
    {
        get
        {
            lock (_gate) return _states.First?.Value.AtNs;
        }
    }

    /// <summary>Number of states that wait.</summary>
    public int Count
    {
        get
        {
            lock (_gate) return _states.Count;
        }
    }

    /// <summary>Keeps the current state if it has changed since the last call. False if it has not. For one task.</summary>
    /// <param name="now">The monotonic clock; read after the state, so that no change counts as older than it is.</param>
    public bool Keep(Func<long> now)
    {
        if (board.Version == _seen) return false;
        var bytes = board.Read(out _seen).ToByteArray();
        lock (_gate)
        {
            while (_states.Last is { } newest && _bytes + bytes.Length + StateBytes > maxBytes)
            {
                _bytes -= newest.Value.Bytes.Length + StateBytes;
                _states.RemoveLast();
            }
            _states.AddLast(new State(now(), bytes));
            _bytes += bytes.Length + StateBytes;
        }
        return true;
    }

    /// <summary>Takes the oldest state, which exists.</summary>
    public Drawings Take()
    {
        byte[] bytes;
        lock (_gate)
        {
            bytes = _states.First!.Value.Bytes;
            _bytes -= bytes.Length + StateBytes;
            _states.RemoveFirst();
        }
        return Drawings.Parser.ParseFrom(bytes);
    }

    /// <summary>A state.</summary>
    /// <param name="AtNs">When it was read.</param>
    /// <param name="Bytes">A serialized <see cref="Drawings"/>.</param>
    private readonly record struct State(long AtNs, byte[] Bytes);
}
