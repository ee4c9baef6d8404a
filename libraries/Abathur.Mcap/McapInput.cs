using System.Buffers;
using System.Buffers.Binary;

namespace Abathur.Mcap;

/// <summary>Reads records of a file by offset. Lengths are checked against the file before anything is allocated.</summary>
internal sealed class McapInput : IDisposable
{
    private const int WindowBytes = 16 * 1024;
    // Larger reads go directly to their destination.
    private const int WindowedReadBytes = 4 * 1024;

    private readonly Stream _stream;
    private readonly bool _leaveOpen;
    private byte[] _window = ArrayPool<byte>.Shared.Rent(WindowBytes);
    private long _windowStart;
    private int _windowLength;

    public McapInput(Stream stream, McapReaderOptions options, bool leaveOpen)
    {
        _stream = stream;
        _leaveOpen = leaveOpen;
        Options = options;
        Name = stream is FileStream file ? file.Name : "the recording";
        Length = stream.Length;
    }

    public McapReaderOptions Options { get; }

    public string Name { get; }

    public long Length { get; }

    /// <summary>Fills all of <paramref name="to"/> from this offset, which must be inside the file.</summary>
    public void Read(long offset, Span<byte> to)
    {
        ObjectDisposedException.ThrowIf(_window.Length == 0, this);
        if (to.Length > WindowedReadBytes)
        {
            Fill(offset, to, to.Length);
            return;
        }
        if (offset < _windowStart || offset + to.Length > _windowStart + _windowLength)
        {
            _windowLength = 0;
            _windowLength = Fill(offset, _window.AsSpan(0, WindowBytes), to.Length);
            _windowStart = offset;
        }
        _window.AsSpan((int)(offset - _windowStart), to.Length).CopyTo(to);
    }

    /// <summary>The record at this offset. False if it does not fit before <paramref name="limit"/>.</summary>
    public bool TryReadHeader(long offset, long limit, out RecordHeader header)
    {
        header = default;
        Options.CancellationToken.ThrowIfCancellationRequested();
        if (Math.Min(limit, Length) - offset < McapFormat.RecordHeaderBytes) return false;
        Span<byte> bytes = stackalloc byte[McapFormat.RecordHeaderBytes];
        Read(offset, bytes);
        var length = BinaryPrimitives.ReadUInt64LittleEndian(bytes[1..]);
        header = new RecordHeader((McapOpcode)bytes[0], offset, (long)Math.Min(length, long.MaxValue / 2));
        return header.End <= limit;
    }

    /// <summary>The record at this offset.</summary>
    /// <exception cref="McapException">It does not fit before <paramref name="limit"/>.</exception>
    public RecordHeader ReadHeader(long offset, long limit)
    {
        if (!TryReadHeader(offset, limit, out var header))
            throw new McapException($"{Name}: a record at offset {offset} goes beyond its section, which ends at {limit}", offset);
        return header;
    }

    /// <summary>The content of a record, in <paramref name="buffer"/>, which is replaced by a larger one from the pool if it is too
    /// small.</summary>
    public Memory<byte> ReadContent(RecordHeader header, ref byte[] buffer)
    {
        if (header.ContentBytes > Options.MaxRecordBytes)
        {
            throw new McapException(
                $"{Name}: {header.Opcode} record at offset {header.Offset} has {header.ContentBytes} bytes, more than the limit of "
                    + $"{Options.MaxRecordBytes}",
                header.Offset);
        }
        var length = (int)header.ContentBytes;
        Grow(ref buffer, length);
        Read(header.ContentOffset, buffer.AsSpan(0, length));
        return buffer.AsMemory(0, length);
    }

    /// <summary>Replaces a pooled buffer if it is too small. Its content is lost.</summary>
    public static void Grow(ref byte[] buffer, int bytes)
    {
        if (buffer.Length >= bytes) return;
        if (buffer.Length > 0) ArrayPool<byte>.Shared.Return(buffer);
        buffer = [];
        buffer = ArrayPool<byte>.Shared.Rent(bytes);
    }

    public void Dispose()
    {
        // Only once: a buffer that is returned twice would be rented twice.
        if (_window.Length == 0) return;
        ArrayPool<byte>.Shared.Return(_window);
        _window = [];
        if (!_leaveOpen) _stream.Dispose();
    }

    private int Fill(long offset, Span<byte> to, int atLeast)
    {
        _stream.Position = offset;
        var read = _stream.ReadAtLeast(to, atLeast, throwOnEndOfStream: false);
        if (read < atLeast)
            throw new McapException(
                $"{Name} ends at offset {offset + read}, though it had {Length} bytes when it was opened", offset + read);
        return read;
    }
}
