using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Memory for the server's buffers in blocks that hold a whole observation. In the server's own blocks of 4 KB a frame
/// lies in dozens of pieces, and each write of it allocates lists of them.
/// </summary>
/// <remarks>
/// Blocks are pinned, handed out last in first out, and kept when they come back. What was not needed for a whole
/// <see cref="Period"/> is let go. Thread-safe.
/// </remarks>
internal sealed class BlockMemoryPool(TimeProvider clock) : MemoryPool<byte>
{
    /// <summary>Bytes of a block; a late observation has 133 to 170 KB.</summary>
    public const int BlockBytes = 256 * 1024;

    /// <summary>How long a block may lie unused.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromMinutes(1);

    private readonly Stack<Block> _kept = new();
    private long _periodStart = clock.GetTimestamp();
    private int _leastKept;

    public override int MaxBufferSize => BlockBytes;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, BlockBytes);
        lock (_kept)
        {
            var isKept = _kept.TryPop(out var block);
            _leastKept = Math.Min(_leastKept, _kept.Count);
            if (isKept) return block!;
        }
        return new Block(this);
    }

    protected override void Dispose(bool disposing)
    {
        lock (_kept) _kept.Clear();
    }

    private void Return(Block block)
    {
        lock (_kept)
        {
            _kept.Push(block);
            if (clock.GetElapsedTime(_periodStart) < Period) return;
            for (; _leastKept > 0; _leastKept--) _kept.Pop();
            _periodStart = clock.GetTimestamp();
            _leastKept = _kept.Count;
        }
    }

    /// <summary>One pool for all parts of the server.</summary>
    internal sealed class Factory(TimeProvider clock) : IMemoryPoolFactory<byte>, IDisposable
    {
        private readonly BlockMemoryPool _pool = new(clock);

        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => _pool;

        public void Dispose() => _pool.Dispose();
    }

    private sealed class Block(BlockMemoryPool pool) : IMemoryOwner<byte>
    {
        private readonly byte[] _bytes = GC.AllocateUninitializedArray<byte>(BlockBytes, pinned: true);

        public Memory<byte> Memory => _bytes;

        public void Dispose() => pool.Return(this);
    }
}
