using System.Buffers;

namespace Abathur.Mcap;

/// <summary>Scans the data section of a file and indexes its records, up to its end or to the first damage.</summary>
internal static class FileScan
{
    /// <param name="input">The file.</param>
    /// <param name="dataStart">Offset of the first record after the header.</param>
    /// <param name="hasEnd">Whether the file has a footer and a valid end.</param>
    public static McapContents Run(McapInput input, long dataStart, bool hasEnd)
    {
        var contents = new McapContents { Statistics = SummaryReader.EmptyStatistics, DataLimit = dataStart };
        var counts = new ScanCounts();
        using var chunk = new ChunkBuffer();
        byte[] buffer = [];
        try
        {
            var offset = dataStart;
            var scanned = 0L;
            while (true)
            {
                contents.DataLimit = offset;
                if (!input.TryReadHeader(offset, input.Length, out var header))
                {
                    contents.Damage = offset == input.Length
                        ? "it ends without the records that close a file"
                        : $"it ends inside a record that starts at offset {offset}";
                    break;
                }
                if (header.Opcode is McapOpcode.DataEnd or McapOpcode.Footer)
                {
                    if (!hasEnd) contents.Damage = "its end is missing or damaged";
                    break;
                }
                if (scanned > input.Options.MaxScannedBytes)
                {
                    contents.Damage =
                        $"it has no index, and more than {input.Options.MaxScannedBytes} bytes after decompression before offset {offset}";
                    break;
                }
                Note(input, header, contents, counts, chunk, ref buffer);
                scanned += header.Opcode == McapOpcode.Chunk ? chunk.Records.Length : header.End - header.Offset;
                offset = header.End;
            }
        }
        catch (McapException e) when (!e.IsUnsupported)
        {
            contents.Damage = e.Message;
        }
        finally
        {
            if (buffer.Length > 0) ArrayPool<byte>.Shared.Return(buffer);
        }
        contents.Statistics = counts.ToStatistics(contents);
        return contents;
    }

    private static void Note(
        McapInput input, RecordHeader header, McapContents contents, ScanCounts counts, ChunkBuffer chunk, ref byte[] buffer)
    {
        switch (header.Opcode)
        {
            case McapOpcode.Chunk:
                chunk.Load(input, header);
                var position = 0;
                while (RecordWalk.TryNext(chunk.Records, ref position, out var opcode, out var inner))
                    NoteInner(opcode, inner, header.Offset, contents, counts);
                if (position != chunk.Records.Length)
                    throw new McapException($"{input.Name}: chunk at offset {header.Offset} ends inside a record", header.Offset);
                contents.Chunks.Add(new McapChunkIndex(
                    chunk.MessageStartTime, chunk.MessageEndTime, (ulong)header.Offset, (ulong)(header.End - header.Offset),
                    new Dictionary<ushort, ulong>(), 0, chunk.Compression, chunk.StoredBytes, (ulong)chunk.Records.Length));
                break;
            case McapOpcode.Schema or McapOpcode.Channel or McapOpcode.Message:
                NoteInner(header.Opcode, input.ReadContent(header, ref buffer), header.Offset, contents, counts);
                break;
            case McapOpcode.Attachment:
                var attachment = RecordParser.Attachment(
                    input.ReadContent(header, ref buffer).Span, header.Offset, input.Options.VerifyCrcs);
                contents.Attachments.Add(new McapAttachmentIndex(
                    (ulong)header.Offset, (ulong)(header.End - header.Offset), attachment.LogTime, attachment.CreateTime,
                    (ulong)attachment.Data.Length, attachment.Name, attachment.MediaType));
                break;
            case McapOpcode.Metadata:
                var metadata = RecordParser.Metadata(input.ReadContent(header, ref buffer).Span, header.Offset);
                contents.Metadata.Add(new McapMetadataIndex((ulong)header.Offset, (ulong)(header.End - header.Offset), metadata.Name));
                break;
        }
    }

    private static void NoteInner(McapOpcode opcode, ReadOnlyMemory<byte> content, long offset, McapContents contents, ScanCounts counts)
    {
        switch (opcode)
        {
            case McapOpcode.Schema:
                contents.Add(RecordParser.Schema(content.Span, offset));
                break;
            case McapOpcode.Channel:
                contents.Add(RecordParser.Channel(content.Span, offset));
                break;
            case McapOpcode.Message:
                counts.Add(RecordParser.Message(content, offset));
                break;
        }
    }
}
