using System.Buffers;
using System.IO.Hashing;

namespace Abathur.Mcap;

/// <summary>Reads the summary section.</summary>
internal static class SummaryReader
{
    /// <summary>Null if the summary is missing, damaged or incomplete.</summary>
    public static McapContents? TryRead(McapInput input, McapFooter? footer, long dataStart)
    {
        if (footer is null || footer.SummaryStart == 0) return null;
        var footerStart = input.Length - McapFormat.Magic.Length - McapFormat.FooterContentBytes - McapFormat.RecordHeaderBytes;
        if (footer.SummaryStart < (ulong)dataStart || footer.SummaryStart > (ulong)footerStart) return null;
        var start = (long)footer.SummaryStart;
        if (footerStart - start > input.Options.MaxRecordBytes) return null;

        byte[] buffer = [];
        try
        {
            // The CRC also covers the footer up to the CRC itself.
            var covered = (int)(footerStart - start) + McapFormat.RecordHeaderBytes + McapFormat.FooterContentBytes - 4;
            McapInput.Grow(ref buffer, covered);
            input.Read(start, buffer.AsSpan(0, covered));
            if (input.Options.VerifyCrcs && footer.SummaryCrc != 0 && Crc32.HashToUInt32(buffer.AsSpan(0, covered)) != footer.SummaryCrc)
                return null;
            return Parse(input, buffer.AsMemory(0, (int)(footerStart - start)), start);
        }
        catch (McapException)
        {
            return null;
        }
        finally
        {
            if (buffer.Length > 0) ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static McapContents? Parse(McapInput input, ReadOnlyMemory<byte> summary, long start)
    {
        McapStatistics? statistics = null;
        var contents = new McapContents { Statistics = EmptyStatistics, DataLimit = start, FromSummary = true };
        var position = 0;
        var offset = start;
        while (RecordWalk.TryNext(summary, ref position, out var opcode, out var content))
        {
            switch (opcode)
            {
                case McapOpcode.Schema:
                    contents.Add(RecordParser.Schema(content.Span, offset));
                    break;
                case McapOpcode.Channel:
                    contents.Add(RecordParser.Channel(content.Span, offset));
                    break;
                case McapOpcode.Statistics:
                    statistics = RecordParser.Statistics(content.Span, offset);
                    break;
                case McapOpcode.ChunkIndex:
                    contents.Chunks.Add(RecordParser.ChunkIndex(content.Span, offset));
                    break;
                case McapOpcode.AttachmentIndex:
                    contents.Attachments.Add(RecordParser.AttachmentIndex(content.Span, offset));
                    break;
                case McapOpcode.MetadataIndex:
                    contents.Metadata.Add(RecordParser.MetadataIndex(content.Span, offset));
                    break;
            }
            offset = start + position;
        }
        if (position != summary.Length || statistics is null || !IsComplete(contents, statistics, start, input)) return null;
        contents.Statistics = statistics;
        contents.Chunks.Sort((a, b) => a.ChunkStartOffset.CompareTo(b.ChunkStartOffset));
        return contents;
    }

    public static McapStatistics EmptyStatistics { get; } = new(0, 0, 0, 0, 0, 0, 0, 0, new Dictionary<ushort, ulong>());

    private static bool IsComplete(McapContents contents, McapStatistics statistics, long dataLimit, McapInput input) =>
        statistics.ChannelCount == contents.Channels.Count
        && statistics.SchemaCount == contents.Schemas.Count
        && statistics.ChunkCount == contents.Chunks.Count
        && statistics.AttachmentCount == contents.Attachments.Count
        && statistics.MetadataCount == contents.Metadata.Count
        && (statistics.ChunkCount > 0 || statistics.MessageCount == 0)
        && contents.Chunks.TrueForAll(chunk => chunk.ChunkStartOffset < (ulong)dataLimit
            && chunk.ChunkStartOffset > 0
            && chunk.ChunkLength < (ulong)input.Length);
}
