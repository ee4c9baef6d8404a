using System.Buffers;
using Abathur.Sync.Frames;
using Microsoft.AspNetCore.Connections;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Memory for the server's buffers from <see cref="BlockPool"/>. With Kestrel's default of 4 KB a frame consists of dozens of blocks, and
/// each write allocates lists of them. With blocks that hold a whole frame, a connection that has sent one byte would occupy such a block.
/// </summary>
internal sealed class ServerMemoryPool : MemoryPool<byte>
{
    /// <summary>Smallest block, in bytes.</summary>
    public const int BlockBytes = 16 * 1024;

    /// <summary>Largest block, in bytes; an observation late in a match has 133 to 170 KB.</summary>
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
