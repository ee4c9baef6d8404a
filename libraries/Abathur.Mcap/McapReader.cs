using System.Buffers;

namespace Abathur.Mcap;

/// <summary>Reads an MCAP file. Not thread-safe, cursors of the same reader included.</summary>
/// <remarks>
/// Uses the summary at the end of the file if it is complete; otherwise scans the file once when it is opened. A file that was truncated,
/// or has no valid end, is readable up to its last complete record, and <see cref="Damage"/> is set. Lengths in the file are not
/// trusted: nothing is allocated for records that do not fit into the file or exceed <see cref="McapReaderOptions"/>.
/// </remarks>
public sealed class McapReader : IDisposable
{
    private readonly McapContents _contents;

    /// <param name="stream">A stream that can seek.</param>
    /// <param name="options">Limits and checks.</param>
    /// <param name="leaveOpen">Whether the stream stays open when this is disposed, or cannot be opened.</param>
    /// <exception cref="McapException">This is not an MCAP file, or its header is damaged.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public McapReader(Stream stream, McapReaderOptions? options = null, bool leaveOpen = false)
        : this(stream, options, leaveOpen, scan: true)
    {
    }

    // Without a scan, a file without a usable summary has only the contents of its header.
    private McapReader(Stream stream, McapReaderOptions? options, bool leaveOpen, bool scan)
    {
        Input = new McapInput(stream, options ?? new McapReaderOptions(), leaveOpen);
        try
        {
            var header = CheckStart();
            Header = RecordParser.Header(ReadSmall(header), header.Offset);
            DataStart = header.End;
            Footer = ReadFooter();
            _contents = SummaryReader.TryRead(Input, Footer, DataStart)
                ?? (scan
                    ? FileScan.Run(Input, DataStart, Footer is not null)
                    : new McapContents { Statistics = SummaryReader.EmptyStatistics, DataLimit = Input.Length });
        }
        catch
        {
            Input.Dispose();
            throw;
        }
    }

    /// <summary>The first record.</summary>
    public McapHeader Header { get; }

    /// <summary>The last record; null if the file has no valid end.</summary>
    public McapFooter? Footer { get; }

    /// <summary>Schemas by id.</summary>
    public IReadOnlyDictionary<ushort, McapSchema> Schemas => _contents.Schemas;

    /// <summary>Channels by id.</summary>
    public IReadOnlyDictionary<ushort, McapChannel> Channels => _contents.Channels;

    /// <summary>Chunks in the order of the file. Those from a scan have no message index offsets.</summary>
    public IReadOnlyList<McapChunkIndex> Chunks => _contents.Chunks;

    /// <summary>Attachments in the order of the file.</summary>
    public IReadOnlyList<McapAttachmentIndex> Attachments => _contents.Attachments;

    /// <summary>Metadata records in the order of the file.</summary>
    public IReadOnlyList<McapMetadataIndex> Metadata => _contents.Metadata;

    /// <summary>Counts of the file's content, from the file or from a scan.</summary>
    public McapStatistics Statistics => _contents.Statistics;

    /// <summary>Whether the summary was used instead of a scan.</summary>
    public bool HasSummary => _contents.FromSummary;

    /// <summary>What is wrong with the end of the file; null if it is valid. Everything before it is readable.</summary>
    public string? Damage => _contents.Damage;

    /// <summary>The path of the file, for messages; "the recording" if the stream is not a file.</summary>
    public string Name => Input.Name;

    /// <summary>Bytes of the file.</summary>
    public long FileBytes => Input.Length;

    /// <summary>Limits and checks.</summary>
    public McapReaderOptions Options => Input.Options;

    internal McapInput Input { get; }

    /// <summary>Offset of the first record after the header.</summary>
    internal long DataStart { get; }

    /// <summary>Upper limit of the end of the data section.</summary>
    internal long DataLimit => _contents.DataLimit;

    /// <summary>Opens a file.</summary>
    /// <exception cref="McapException">This is not an MCAP file, or its header is damaged.</exception>
    /// <exception cref="IOException">The file is missing or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be read.</exception>
    public static McapReader Open(string path, McapReaderOptions? options = null) =>
        new(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0), options);

    /// <summary>Opens a file without a scan, for recovery, which scans the file itself.</summary>
    internal static McapReader OpenWithoutScan(Stream stream) => new(stream, options: null, leaveOpen: true, scan: false);

    /// <summary>A cursor before the first message.</summary>
    public McapMessageCursor ReadMessages() => new(this);

    /// <summary>All records of the file in order. The records of a chunk replace the chunk; MessageIndex and unknown records are
    /// omitted.</summary>
    /// <remarks>For tools: each record is an object of its own.</remarks>
    /// <exception cref="McapException">The file is damaged.</exception>
    public IEnumerable<IMcapRecord> ReadRecords()
    {
        var buffer = Array.Empty<byte>();
        using var chunk = new ChunkBuffer();
        yield return Header;
        for (var offset = DataStart; offset < Input.Length;)
        {
            var header = Input.ReadHeader(offset, Input.Length);
            offset = header.End;
            if (header.Opcode == McapOpcode.Chunk)
            {
                chunk.Load(Input, header);
                var position = 0;
                while (RecordWalk.TryNext(chunk.Records, ref position, out var opcode, out var content))
                {
                    if (ToRecord(opcode, content, header.Offset) is { } inner) yield return inner;
                }
                continue;
            }
            if (ToRecord(header.Opcode, Input.ReadContent(header, ref buffer), header.Offset) is { } record) yield return record;
            if (header.Opcode == McapOpcode.Footer) break;
        }
        if (buffer.Length > 0) ArrayPool<byte>.Shared.Return(buffer);
    }

    /// <summary>Reads a metadata record.</summary>
    /// <exception cref="McapException">It is not at the offset in the index, or damaged.</exception>
    public McapMetadata ReadMetadata(McapMetadataIndex index)
    {
        var header = FindRecord(index.Offset, McapOpcode.Metadata);
        return RecordParser.Metadata(ReadSmall(header), header.Offset);
    }

    /// <summary>Reads an attachment.</summary>
    /// <exception cref="McapException">It is not at the offset in the index, or damaged.</exception>
    public McapAttachment ReadAttachment(McapAttachmentIndex index)
    {
        var header = FindRecord(index.Offset, McapOpcode.Attachment);
        return RecordParser.Attachment(ReadSmall(header), header.Offset, Input.Options.VerifyCrcs);
    }

    /// <inheritdoc/>
    public void Dispose() => Input.Dispose();

    private RecordHeader CheckStart()
    {
        if (Input.Length == 0) throw new McapException($"{Input.Name} is empty");
        Span<byte> magic = stackalloc byte[McapFormat.Magic.Length];
        if (Input.Length >= magic.Length) Input.Read(0, magic);
        if (!magic.SequenceEqual(McapFormat.Magic))
            throw new McapException($"{Input.Name} is not an MCAP file: it does not start as one", 0);
        if (!Input.TryReadHeader(magic.Length, Input.Length, out var header))
            throw new McapException($"{Input.Name} is truncated inside its Header record: nothing of it can be read", magic.Length);
        if (header.Opcode != McapOpcode.Header)
            throw new McapException(
                $"{Input.Name} is not a valid MCAP file: its first record is {header.Opcode} instead of Header", magic.Length);
        return header;
    }

    private McapFooter? ReadFooter()
    {
        var end = Input.Length - McapFormat.Magic.Length;
        var offset = end - McapFormat.FooterContentBytes - McapFormat.RecordHeaderBytes;
        if (offset < DataStart) return null;
        Span<byte> magic = stackalloc byte[McapFormat.Magic.Length];
        Input.Read(end, magic);
        if (!magic.SequenceEqual(McapFormat.Magic)) return null;
        if (!Input.TryReadHeader(offset, end, out var header) || header.Opcode != McapOpcode.Footer || header.End != end) return null;
        return RecordParser.Footer(ReadSmall(header), offset);
    }

    private RecordHeader FindRecord(ulong offset, McapOpcode opcode)
    {
        if (offset > (ulong)Input.Length || !Input.TryReadHeader((long)offset, Input.Length, out var header) || header.Opcode != opcode)
            throw new McapException(
                $"{Input.Name}: the index is wrong: there is no {opcode} record at offset {offset}", (long)Math.Min(offset, long.MaxValue));
        return header;
    }

    private byte[] ReadSmall(RecordHeader header)
    {
        byte[] buffer = [];
        try
        {
            return Input.ReadContent(header, ref buffer).ToArray();
        }
        finally
        {
            if (buffer.Length > 0) ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private IMcapRecord? ToRecord(McapOpcode opcode, ReadOnlyMemory<byte> content, long offset) => opcode switch
    {
        McapOpcode.Header => RecordParser.Header(content.Span, offset),
        McapOpcode.Footer => RecordParser.Footer(content.Span, offset),
        McapOpcode.Schema => RecordParser.Schema(content.Span, offset),
        McapOpcode.Channel => RecordParser.Channel(content.Span, offset),
        McapOpcode.Message => RecordParser.Message(content.ToArray(), offset),
        McapOpcode.ChunkIndex => RecordParser.ChunkIndex(content.Span, offset),
        McapOpcode.Attachment => RecordParser.Attachment(content.Span, offset, Input.Options.VerifyCrcs),
        McapOpcode.AttachmentIndex => RecordParser.AttachmentIndex(content.Span, offset),
        McapOpcode.Statistics => RecordParser.Statistics(content.Span, offset),
        McapOpcode.Metadata => RecordParser.Metadata(content.Span, offset),
        McapOpcode.MetadataIndex => RecordParser.MetadataIndex(content.Span, offset),
        McapOpcode.SummaryOffset => RecordParser.SummaryOffset(content.Span, offset),
        McapOpcode.DataEnd => RecordParser.DataEnd(content.Span, offset),
        _ => null,
    };
}
