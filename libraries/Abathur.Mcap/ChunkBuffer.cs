using System.Buffers;
using System.IO.Hashing;
using Abathur.Compression;

namespace Abathur.Mcap;

/// <summary>Holds the records of one chunk, decompressed and checked. Buffers are reused for the next chunk.</summary>
internal sealed class ChunkBuffer : IDisposable
{
    private byte[] _stored = [];
    private byte[] _records = [];
    private ZstdDecompressor? _zstd;

    /// <summary>Records of the chunk; empty when loading failed.</summary>
    public ReadOnlyMemory<byte> Records { get; private set; }

    public ulong MessageStartTime { get; private set; }

    public ulong MessageEndTime { get; private set; }

    public string Compression { get; private set; } = "";

    public ulong StoredBytes { get; private set; }

    /// <summary>Reads a Chunk record.</summary>
    /// <exception cref="McapException">It is damaged, too large, or has an unknown compression.</exception>
    public void Load(McapInput input, RecordHeader header)
    {
        Records = default;
        var content = input.ReadContent(header, ref _stored);
        var (stored, size) = Parse(content, header.Offset, out var crc, whole: true);
        CheckSize(input, header.Offset, size);
        Records = Compression switch
        {
            "" => Plain(stored, size, header.Offset, input.Name),
            "zstd" => Decompress(input, stored, (int)size, header.Offset),
            _ => throw Unknown(input, header.Offset),
        };
        if (input.Options.VerifyCrcs && crc != 0 && Crc32.HashToUInt32(Records.Span) != crc)
        {
            Records = default;
            throw new McapException(
                $"{input.Name}: chunk at offset {header.Offset} is damaged: its CRC does not match its records", header.Offset);
        }
    }

    /// <summary>Reads a truncated Chunk record; the last record may be incomplete.</summary>
    /// <exception cref="McapException">Its header is incomplete, or it has an unknown compression.</exception>
    public void LoadCut(McapInput input, RecordHeader header)
    {
        Records = default;
        var there = header with { ContentBytes = Math.Min(input.Length - header.ContentOffset, input.Options.MaxRecordBytes) };
        var content = input.ReadContent(there, ref _stored);
        var (stored, size) = Parse(content, header.Offset, out _, whole: false);
        CheckSize(input, header.Offset, size);
        if (Compression.Length == 0)
        {
            Records = stored[..(int)Math.Min((ulong)stored.Length, size)];
            return;
        }
        if (Compression != "zstd") throw Unknown(input, header.Offset);
        if (!ZstdDecompressor.CanHold(stored.Span, size)) return;
        McapInput.Grow(ref _records, (int)size);
        _zstd ??= new ZstdDecompressor();
        Records = _records.AsMemory(0, _zstd.DecompressWhatIsThere(stored.Span, _records.AsSpan(0, (int)size)));
    }

    /// <summary>Discards the chunk but keeps the memory.</summary>
    public void Clear() => Records = default;

    public void Dispose()
    {
        Records = default;
        if (_stored.Length > 0) ArrayPool<byte>.Shared.Return(_stored);
        if (_records.Length > 0) ArrayPool<byte>.Shared.Return(_records);
        (_stored, _records) = ([], []);
        _zstd?.Dispose();
        _zstd = null;
    }

    // first and last log time 8 + 8, size 8, CRC 4, compression string, stored records 8 + n
    private (ReadOnlyMemory<byte> Stored, ulong Size) Parse(ReadOnlyMemory<byte> content, long offset, out uint crc, bool whole)
    {
        var fields = new RecordFields(content.Span, McapOpcode.Chunk, offset);
        MessageStartTime = fields.U64("message_start_time");
        MessageEndTime = fields.U64("message_end_time");
        var size = fields.U64("uncompressed_size");
        crc = fields.U32("uncompressed_crc");
        Compression = fields.Text("compression");
        StoredBytes = fields.U64("records length");
        var start = content.Length - fields.Rest.Length;
        var stored = whole ? fields.Bytes(StoredBytes, "records").Length : (int)Math.Min(StoredBytes, (ulong)fields.Rest.Length);
        return (content.Slice(start, stored), size);
    }

    private static void CheckSize(McapInput input, long offset, ulong size)
    {
        if (size <= (ulong)input.Options.MaxChunkBytes) return;
        throw new McapException(
            $"{input.Name}: chunk at offset {offset} says it has {size} bytes, more than the limit of "
                + $"{input.Options.MaxChunkBytes}", offset);
    }

    private static ReadOnlyMemory<byte> Plain(ReadOnlyMemory<byte> stored, ulong size, long offset, string name)
    {
        if ((ulong)stored.Length == size) return stored;
        throw new McapException($"{name}: uncompressed chunk at offset {offset} has {stored.Length} bytes, but says {size}", offset);
    }

    private ReadOnlyMemory<byte> Decompress(McapInput input, ReadOnlyMemory<byte> stored, int size, long offset)
    {
        try
        {
            if (!ZstdDecompressor.CanHold(stored.Span, (ulong)size))
                throw new McapException(
                    $"{input.Name}: chunk at offset {offset} is damaged: it says {size} bytes, its zstd frame something else", offset);
            McapInput.Grow(ref _records, size);
            _zstd ??= new ZstdDecompressor();
            var written = _zstd.Decompress(stored.Span, _records.AsSpan(0, size));
            if (written == size) return _records.AsMemory(0, size);
            throw new McapException($"{input.Name}: chunk at offset {offset} is damaged: {written} bytes instead of {size}", offset);
        }
        catch (CompressionException e) when (LibZstd.IsAvailable)
        {
            throw new McapException($"{input.Name}: chunk at offset {offset} is damaged: {e.Message}", offset, e);
        }
    }

    private McapException Unknown(McapInput input, long offset) => new(
        $"{input.Name}: chunk at offset {offset} is compressed with \"{Compression}\", which is not supported: "
        + "rewrite the file with zstd or without compression, e.g. by `mcap compress` or `mcap decompress`", offset)
    {
        IsUnsupported = true,
    };
}
