using System.Buffers;
using System.Numerics;

namespace Abathur.Sync.Frames;

/// <summary>
/// Memory for frames, messages and the servers' buffers, in blocks of 4 KiB to 1 MiB, each size twice the previous one. The pool is last
/// in, first out. <see cref="Trim"/> releases blocks that were not used since the last call. Thread-safe.
/// </summary>
/// <remarks>
/// .NET's shared pool keeps the blocks of a burst for minutes and releases them only at a garbage collection, which an idle process does
/// not run. The blocks are not pinned: a small pinned block in use would keep the runtime from returning the megabytes around it to the
/// operating system.
/// </remarks>
public sealed class BlockPool
{
    /// <summary>Bytes of the smallest block.</summary>
    public const int MinBytes = 4096;

    /// <summary>Bytes of the largest block that is kept.</summary>
    public const int MaxBytes = 1024 * 1024;

    private readonly BlockSize[] _sizes = [.. Enumerable.Range(0, IndexOf(MaxBytes) + 1).Select(_ => new BlockSize())];

    /// <summary>The pool of the process.</summary>
    public static BlockPool Shared { get; } = new();

    /// <summary>A block of at least <paramref name="bytes"/> bytes, whose content is arbitrary. More than <see cref="MaxBytes"/> are
    /// allocated, and not kept.</summary>
    public Block Rent(int bytes)
    {
        if (bytes > MaxBytes) return new Block(null, GC.AllocateUninitializedArray<byte>(bytes));
        var index = IndexOf(bytes);
        return _sizes[index].TryPop() ?? new Block(this, GC.AllocateUninitializedArray<byte>(MinBytes << index));
    }

    /// <summary>Releases the blocks that were not used since the last call.</summary>
    /// <returns>Their bytes, which the next collection frees.</returns>
    public long Trim()
    {
        long bytes = 0;
        for (var index = 0; index < _sizes.Length; index++) bytes += (long)_sizes[index].Trim() * (MinBytes << index);
        return bytes;
    }

    private static int IndexOf(int bytes) => BitOperations.Log2((uint)(Math.Max(bytes, MinBytes) - 1) / (MinBytes / 2));

    /// <summary>Memory from a <see cref="BlockPool"/>. Dispose returns it to the pool; call it once.</summary>
    public sealed class Block : IMemoryOwner<byte>
    {
        private readonly BlockPool? _pool;

        internal Block(BlockPool? pool, byte[] bytes) => (_pool, Bytes) = (pool, bytes);

        /// <summary>The memory. Its length is the size of the block.</summary>
        public byte[] Bytes { get; }

        /// <inheritdoc/>
        public Memory<byte> Memory => Bytes;

        /// <inheritdoc/>
        public void Dispose() => _pool?._sizes[IndexOf(Bytes.Length)].Push(this);
    }

    /// <summary>The blocks of one size that are not in use.</summary>
    private sealed class BlockSize
    {
        private readonly Stack<Block> _kept = new();
        private int _leastKept;

        public Block? TryPop()
        {
            lock (_kept)
            {
                var isKept = _kept.TryPop(out var block);
                _leastKept = Math.Min(_leastKept, _kept.Count);
                return isKept ? block : null;
            }
        }

        public void Push(Block block)
        {
            lock (_kept) _kept.Push(block);
        }

        public int Trim()
        {
            lock (_kept)
            {
                var unused = _leastKept;
                for (var i = 0; i < unused; i++) _kept.Pop();
                _kept.TrimExcess();
                _leastKept = _kept.Count;
                return unused;
            }
        }
    }
}
