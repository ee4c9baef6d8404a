using System.Buffers;
using Abathur.Protobuf.Wire;

namespace Abathur.Recordings.Delimited;

/// <summary>Reads a stream of serialized observations, each with its length as a varint in front. Not thread-safe.</summary>
/// <remarks>Memory grows with the bytes that were read, not with a declared length.</remarks>
public sealed class DelimitedObservationReader : IDisposable
{
    /// <summary>Largest observation that is accepted. The largest real ones, with rendered images, have a few megabytes.</summary>
    public const int MaxObservationBytes = 128 * 1024 * 1024;

    private const int InitialBytes = 256 * 1024;

    /// <summary>Five bytes hold any valid length.</summary>
    private const int MaxLengthBytes = 5;

    private readonly Stream _source;
    private readonly string _name;
    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(InitialBytes);
    private int _start, _end;
    private long _offset;

    /// <param name="source">The stream to read. It stays open.</param>
    /// <param name="name">Its name for errors.</param>
    public DelimitedObservationReader(Stream source, string name)
    {
        _source = source;
        _name = name;
    }

    /// <summary>Observations read so far.</summary>
    public long FrameCount { get; private set; }

    /// <summary>Bytes read so far, lengths included.</summary>
    public long Offset => _offset;

    /// <summary>Reads the next observation. False at the end of the stream.</summary>
    /// <param name="observation">The bytes: a view that is valid until the next call.</param>
    /// <exception cref="RecordingException">The stream ends inside an observation, or a length is invalid. The message has frame and byte
    /// offset.</exception>
    /// <exception cref="IOException">The stream cannot be read.</exception>
    public bool TryReadNext(out ReadOnlyMemory<byte> observation)
    {
        observation = default;
        if (!TryReadLength(out var length)) return false;
        if (!TryHave(length))
        {
            throw new TruncatedStreamException(
                $"{_name} ends inside frame {FrameCount} (byte offset {_offset}): its length says {length} bytes, but only "
                    + $"{_end - _start} follow");
        }
        observation = _buffer.AsMemory(_start, length);
        Advance(length);
        FrameCount++;
        return true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_buffer.Length > 0) ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
        (_start, _end) = (0, 0);
    }

    private bool TryReadLength(out int length)
    {
        length = 0;
        if (!TryHave(1)) return false;
        var end = _start;
        ulong value;
        while (!Varint.TryRead(_buffer.AsSpan(0, Math.Min(_end, _start + MaxLengthBytes)), ref end, out value))
        {
            var bytes = _end - _start;
            if (bytes >= MaxLengthBytes) throw TooLong();
            if (!TryHave(bytes + 1))
                throw new TruncatedStreamException($"{_name} ends inside the length of frame {FrameCount} (byte offset {_offset})");
            // Reading more may have moved the bytes.
            end = _start;
        }
        if (value > MaxObservationBytes) throw TooLong();
        Advance(end - _start);
        length = (int)value;
        return true;

        RecordingException TooLong() => new(
            $"{_name} is not a stream of length-delimited observations: frame {FrameCount} (byte offset {_offset}) would have more than "
                + $"{MaxObservationBytes} bytes");
    }

    private void Advance(int bytes)
    {
        _start += bytes;
        _offset += bytes;
    }

    private bool TryHave(int bytes)
    {
        while (_end - _start < bytes)
        {
            if (_start > 0 && (_end == _buffer.Length || _start == _end))
            {
                _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
                (_start, _end) = (0, _end - _start);
            }
            if (_end == _buffer.Length) Grow();
            var read = _source.Read(_buffer, _end, _buffer.Length - _end);
            if (read == 0) return false;
            _end += read;
        }
        return true;
    }

    private void Grow()
    {
        var larger = ArrayPool<byte>.Shared.Rent(_buffer.Length * 2);
        _buffer.AsSpan(0, _end).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }
}
