using System.Buffers;
using Abathur.Sync.Frames;
using Microsoft.AspNetCore.Connections;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Memory for the server's buffers from <see cref="BlockPool"/>. Kestrel asks for 4 KB, in which a frame lies in dozens of pieces, and each write of it allocates
/// lists of them; in blocks that hold a whole frame, a connection that has sent one byte holds as much.
/// </summary>
internal sealed class ServerMemoryPool : MemoryPool<byte>
{
    /// <summary>Bytes of a block where none is asked for, or fewer.</summary>
    public const int BlockBytes = 16 * 1024;

    /// <summary>Bytes of the largest block; a late observation has 133 to 170 KB.</summary>
    public const int MaxBlockBytes = 256 * 1024;

    private static readonly ServerMemoryPool Instance = new();

    public override int MaxBufferSize => MaxBlockBytes;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, MaxBlockBytes);
        return BlockPool.Shared.Rent(Math.Max(minBufferSize, BlockBytes));
    }

    protected override void Dispose(bool disposing)
    {
    }

    /// <summary>One pool for all parts of the server.</summary>
    internal sealed class Factory : IMemoryPoolFactory<byte>
    {
        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => Instance;
    }
}
