using System.Buffers;

namespace Abathur.Sync.Frames;

/// <summary>
/// A growing buffer of pooled memory that many readers share. Written once by its owner, then only read; the memory goes
/// back to the pool when the last reference is released. Renting and returning allocates nothing once the pool is warm.
/// </summary>
public sealed class SharedBuffer : SharedObject, IBufferWriter<byte>
{
    private static readonly ObjectPool<SharedBuffer> Pool = new();

    private BlockPool.Block? _block;
    private byte[] _bytes = [];
    private int _start;
    private int _length;

    private SharedBuffer()
    {
    }

    /// <summary>Bytes written so far.</summary>
    public ReadOnlyMemory<byte> Memory => _bytes.AsMemory(_start, _length - _start);

    /// <summary>Bytes written so far.</summary>
    public ReadOnlySpan<byte> Span => _bytes.AsSpan(_start, _length - _start);

    /// <summary>Bytes of memory that it occupies, which may be more than were written: for limits on queues.</summary>
    public int CapacityBytes => _bytes.Length;

    /// <summary>An empty buffer with one reference, which is the caller's.</summary>
    public static SharedBuffer Rent(int sizeHint = BlockPool.MinBytes)
    {
        if (!Pool.TryRent(out var buffer)) buffer = new SharedBuffer();
        buffer._block = BlockPool.Shared.Rent(sizeHint);
        buffer._bytes = buffer._block.Bytes;
        buffer.SetRented();
        return buffer;
    }

    /// <summary>A buffer with a copy of some bytes, and one reference, which is the caller's.</summary>
    public static SharedBuffer CopyOf(ReadOnlySpan<byte> bytes)
    {
        var buffer = Rent(bytes.Length);
        bytes.CopyTo(buffer.GetSpan(bytes.Length));
        buffer.Advance(bytes.Length);
        return buffer;
    }

    /// <summary>Restricts the content to a part of it, for a message inside another one. Called by its owner, before it is
    /// shared.</summary>
    /// <param name="offset">Where the part begins in <see cref="Memory"/>.</param>
    /// <param name="length">Bytes of the part.</param>
    public void Narrow(int offset, int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)offset, (uint)(_length - _start - length), nameof(offset));
        _start += offset;
        _length = _start + length;
    }

    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)count, (uint)(_bytes.Length - _length), nameof(count));
        _length += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsMemory(_length);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsSpan(_length);
    }

    protected override void OnReleased()
    {
        _block!.Dispose();
        _block = null;
        _bytes = [];
        _start = _length = 0;
        Pool.Return(this);
    }

    private void Reserve(int sizeHint)
    {
        if (_bytes.Length - _length >= Math.Max(sizeHint, 1)) return;
        var larger = BlockPool.Shared.Rent(Math.Max(_length + sizeHint, 2 * _bytes.Length));
        _bytes.AsSpan(0, _length).CopyTo(larger.Bytes);
        _block!.Dispose();
        _block = larger;
        _bytes = larger.Bytes;
    }
}
