using System.Buffers;
using System.IO.Compression;
using Abathur.Columns;
using Abathur.Compression;
using WireCompression = Abathur.Sync.V1.Compression;

namespace Abathur.Client;

/// <summary>Decompresses and decodes the payloads of one subscription in order. In steady state it allocates nothing.</summary>
internal sealed class PayloadDecoder(int maxFrameBytes) : IDisposable
{
    /// <summary>Most payloads of dropped frames in a message (docs/protocol.md).</summary>
    public const int MaxEarlier = 31;

    private const int MinEarlierBytes = 64 * 1024 * 1024;
    private readonly ArrayBufferWriter<byte> _plain = new();
    private readonly IStreamDecompressor?[] _streams = new IStreamDecompressor?[(int)WireCompression.BrStream + 1];
    private ZstdDecompressor? _zstd;
    private bool _isStreamReady;

    /// <summary>The tables of the last frame in columns.</summary>
    public ColumnsDecoder Columns { get; } = new();

    /// <summary>Reads a payload that is one observation in protobuf or JSON. Valid until the next call.</summary>
    public ReadOnlyMemory<byte> ReadPlain(in FrameMessage message)
    {
        var earlier = MaxEarlierBytes;
        if (IsStream(message.Compression)) SkipEarlier(message, ref earlier);
        return Decompress(message, message.Data, (long)message.PlainBytes, maxFrameBytes);
    }

    /// <summary>Reads a payload of columns, and those of dropped frames before it, into <see cref="Columns"/>.</summary>
    public void ReadColumns(in FrameMessage message)
    {
        var left = MaxEarlierBytes;
        try
        {
            if (IsStream(message.Compression) && message.IsKeyframe) Restart(message.Compression);
            for (var i = 0; i < message.EarlierCount; i++)
            {
                var payload = DecompressEarlier(message, i, ref left);
                Columns.Decode(payload.Span);
            }
            Columns.Decode(Decompress(message, message.Data, (long)message.PlainBytes, maxFrameBytes).Span);
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"frame {message.Sequence} cannot be read as columns: {e.Message}", e);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var stream in _streams) stream?.Dispose();
        _zstd?.Dispose();
    }

    private long MaxEarlierBytes => Math.Max(maxFrameBytes, MinEarlierBytes);

    private static bool IsStream(WireCompression compression) =>
        compression is WireCompression.ZstdStream or WireCompression.BrStream;

    private void SkipEarlier(in FrameMessage message, ref long left)
    {
        if (message.IsKeyframe) Restart(message.Compression);
        for (var i = 0; i < message.EarlierCount; i++) DecompressEarlier(message, i, ref left);
    }

    private ReadOnlyMemory<byte> DecompressEarlier(in FrameMessage message, int index, ref long left)
    {
        var payload = Decompress(message, message.Earlier(index), -1, (int)Math.Min(left, maxFrameBytes));
        left -= payload.Length;
        return payload;
    }

    private void Restart(WireCompression compression)
    {
        try
        {
            ref var stream = ref _streams[(int)compression];
            stream ??= (compression == WireCompression.ZstdStream ? StreamCompression.Zstd : StreamCompression.Brotli)
                .CreateDecompressor();
            stream.Restart();
            _isStreamReady = true;
        }
        catch (CompressionException e)
        {
            throw new ProtocolException(e.Message, e);
        }
    }

    private ReadOnlyMemory<byte> Decompress(in FrameMessage message, ReadOnlyMemory<byte> data, long declared, int maxBytes)
    {
        if (message.Compression == WireCompression.None) return data;
        if (declared > maxBytes)
            throw Refusal(message, data, maxBytes, $"it declares {declared} bytes");
        _plain.ResetWrittenCount();
        try
        {
            switch (message.Compression)
            {
                case WireCompression.ZstdStream or WireCompression.BrStream:
                    if (!_isStreamReady) throw Refusal(message, data, maxBytes, "it depends on a keyframe that was not received");
                    // After an error the stream is unusable: later payloads depend on this one.
                    _isStreamReady = false;
                    _streams[(int)message.Compression]!.Decompress(data.Span, _plain, declared < 0 ? maxBytes : (int)declared);
                    _isStreamReady = true;
                    break;
                case WireCompression.Zstd:
                    DecompressZstd(data.Span, (int)declared);
                    break;
                case WireCompression.Gzip or WireCompression.Br:
                    Inflate(message.Compression, data, (int)declared);
                    break;
                default:
                    throw new ProtocolException($"frame {message.Sequence} has the unknown compression {(int)message.Compression}");
            }
        }
        catch (Exception e) when (e is CompressionException or InvalidDataException)
        {
            throw Refusal(message, data, maxBytes, e.Message, e);
        }
        if (declared >= 0 && _plain.WrittenCount != declared)
            throw Refusal(message, data, maxBytes, $"it has {_plain.WrittenCount} of {declared} declared bytes");
        return _plain.WrittenMemory;
    }

    private void DecompressZstd(ReadOnlySpan<byte> data, int bytes)
    {
        if (!ZstdDecompressor.CanHold(data, (ulong)bytes)) throw new InvalidDataException("its size is not the declared one");
        _zstd ??= new ZstdDecompressor();
        _plain.Advance(_zstd.Decompress(data, _plain.GetSpan(Math.Max(bytes, 1))[..bytes]));
    }

    private void Inflate(WireCompression compression, ReadOnlyMemory<byte> data, int bytes)
    {
        if (compression == WireCompression.Br)
        {
            var decoded = BrotliDecoder.TryDecompress(data.Span, _plain.GetSpan(bytes + 1)[..(bytes + 1)], out var size);
            if (!decoded) throw new InvalidDataException("damaged data, or more than declared");
            _plain.Advance(size);
            return;
        }
        System.Runtime.InteropServices.MemoryMarshal.TryGetArray(data, out var array);
        using var input = new MemoryStream(array.Array!, array.Offset, array.Count, writable: false);
        using var gzip = new GZipStream(input, CompressionMode.Decompress);
        var room = _plain.GetSpan(bytes + 1)[..(bytes + 1)];
        var total = gzip.ReadAtLeast(room, room.Length, throwOnEndOfStream: false);
        if (total > bytes) throw new InvalidDataException("more than declared");
        _plain.Advance(total);
    }

    private static ProtocolException Refusal(
        in FrameMessage message, ReadOnlyMemory<byte> data, int maxBytes, string reason, Exception? inner = null) => new(
            $"a {message.Compression} payload of {data.Length} bytes in frame {message.Sequence} cannot be decompressed: {reason} "
            + $"(at most {maxBytes} bytes are accepted)", inner);
}
