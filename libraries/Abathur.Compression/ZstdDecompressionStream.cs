using System.Buffers;

namespace Abathur.Compression;

/// <summary>Decompresses a stream of zstd frames. Not thread-safe.</summary>
/// <remarks>Supports windows of up to 2^27 bytes (<c>zstd --long=27</c>), so it holds up to 128 MiB if the data needs that.</remarks>
public sealed unsafe class ZstdDecompressionStream : Stream
{
    /// <summary>Largest supported window, as a power of two. Data with a larger one is refused.</summary>
    public const int MaxWindowLog = 27;

    private const int WindowLogMaxParameter = 100;
    private const int InputBytes = 128 * 1024;

    private readonly ZstdDecompressionHandle _context;
    private readonly Stream _source;
    private readonly bool _leaveOpen;
    private byte[]? _input = ArrayPool<byte>.Shared.Rent(InputBytes);
    private int _start, _end;
    private bool _insideFrame;

    /// <summary>Begins at the start of a frame.</summary>
    /// <param name="source">The compressed bytes.</param>
    /// <param name="leaveOpen">Whether <paramref name="source"/> stays open when this is disposed.</param>
    /// <exception cref="CompressionException">libzstd is missing.</exception>
    public ZstdDecompressionStream(Stream source, bool leaveOpen = false)
    {
        _source = source;
        _leaveOpen = leaveOpen;
        _context = new ZstdDecompressionHandle();
        LibZstd.Check(LibZstd.ZSTD_DCtx_setParameter(_context, WindowLogMaxParameter, MaxWindowLog), "set the window");
    }

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <summary>Not supported.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override long Length => throw new NotSupportedException();

    /// <summary>Not supported.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    /// <exception cref="CompressionException">As of the other overload.</exception>
    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    /// <exception cref="CompressionException">The data is damaged, is not zstd, ends inside a frame, or needs a larger window.</exception>
    public override int Read(Span<byte> buffer)
    {
        ObjectDisposedException.ThrowIf(_input is null, this);
        if (buffer.IsEmpty) return 0;
        while (true)
        {
            if (_start == _end)
            {
                _start = 0;
                _end = _source.Read(_input, 0, InputBytes);
                if (_end == 0 && !_insideFrame) return 0;
                // At the end of the input the context may still hold output that did not fit before.
            }
            var written = Step(buffer, out var read);
            if (written > 0) return written;
            if (read == 0 && _start == _end && _end == 0)
                throw new CompressionException("zstd data is truncated: the file is not complete");
        }
    }

    /// <summary>Not supported.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <summary>Does nothing.</summary>
    public override void Flush()
    {
    }

    /// <summary>Not supported.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <summary>Not supported.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override void SetLength(long value) => throw new NotSupportedException();

    private int Step(Span<byte> buffer, out int read)
    {
        fixed (byte* from = _input)
        fixed (byte* to = buffer)
        {
            var input = new LibZstd.InBuffer { Source = from, Size = (nuint)_end, Position = (nuint)_start };
            var output = new LibZstd.OutBuffer { Destination = to, Size = (nuint)buffer.Length };
            var hint = LibZstd.Check(LibZstd.ZSTD_decompressStream(_context, &output, &input), "decompress");
            read = (int)input.Position - _start;
            _start = (int)input.Position;
            _insideFrame = hint != 0;
            return (int)output.Position;
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _input is not null)
        {
            ArrayPool<byte>.Shared.Return(_input);
            _input = null;
            _context.Dispose();
            if (!_leaveOpen) _source.Dispose();
        }
        base.Dispose(disposing);
    }
}
