using System.IO.Hashing;

namespace Abathur.Mcap;

/// <summary>Writes records as bytes.</summary>
internal static class RecordFormatter
{
    // profile string, library string
    public static void Write(RecordBuffer to, McapHeader record)
    {
        var start = to.Begin(McapOpcode.Header);
        to.Text(record.Profile);
        to.Text(record.Library);
        to.End(start);
    }

    // id 2, name string, encoding string, data 4 + n
    public static void Write(RecordBuffer to, McapSchema record)
    {
        var start = to.Begin(McapOpcode.Schema);
        to.U16(record.Id);
        to.Text(record.Name);
        to.Text(record.Encoding);
        to.U32((uint)record.Data.Length);
        to.Raw(record.Data.Span);
        to.End(start);
    }

    // id 2, schema id 2, topic string, message encoding string, metadata map
    public static void Write(RecordBuffer to, McapChannel record)
    {
        var start = to.Begin(McapOpcode.Channel);
        to.U16(record.Id);
        to.U16(record.SchemaId);
        to.Text(record.Topic);
        to.Text(record.MessageEncoding);
        to.Map(record.Metadata);
        to.End(start);
    }

    // channel 2, list 4 + n * (log time 8, offset 8)
    public static void Write(RecordBuffer to, ushort channelId, List<(ulong LogTime, ulong Offset)> entries)
    {
        var start = to.Begin(McapOpcode.MessageIndex);
        to.U16(channelId);
        to.U32(checked((uint)entries.Count * 16));
        foreach (var (logTime, offset) in entries)
        {
            to.U64(logTime);
            to.U64(offset);
        }
        to.End(start);
    }

    // first and last log time 8 + 8, chunk offset 8, chunk length 8, map 4 + n * (channel 2, offset 8), length of indexes 8,
    // compression string, stored size 8, size 8
    public static void Write(RecordBuffer to, McapChunkIndex record)
    {
        var start = to.Begin(McapOpcode.ChunkIndex);
        to.U64(record.MessageStartTime);
        to.U64(record.MessageEndTime);
        to.U64(record.ChunkStartOffset);
        to.U64(record.ChunkLength);
        ChannelMap(to, record.MessageIndexOffsets);
        to.U64(record.MessageIndexLength);
        to.Text(record.Compression);
        to.U64(record.CompressedSize);
        to.U64(record.UncompressedSize);
        to.End(start);
    }

    // log time 8, create time 8, name string, media type string, data 8 + n, CRC of all before it 4
    public static void Write(RecordBuffer to, McapAttachment record)
    {
        var start = to.Begin(McapOpcode.Attachment);
        to.U64(record.LogTime);
        to.U64(record.CreateTime);
        to.Text(record.Name);
        to.Text(record.MediaType);
        to.U64((ulong)record.Data.Length);
        to.Raw(record.Data.Span);
        to.U32(Crc32.HashToUInt32(to.Written[start..]));
        to.End(start);
    }

    // offset 8, length 8, log time 8, create time 8, data size 8, name string, media type string
    public static void Write(RecordBuffer to, McapAttachmentIndex record)
    {
        var start = to.Begin(McapOpcode.AttachmentIndex);
        to.U64(record.Offset);
        to.U64(record.Length);
        to.U64(record.LogTime);
        to.U64(record.CreateTime);
        to.U64(record.DataSize);
        to.Text(record.Name);
        to.Text(record.MediaType);
        to.End(start);
    }

    // name string, metadata map
    public static void Write(RecordBuffer to, McapMetadata record)
    {
        var start = to.Begin(McapOpcode.Metadata);
        to.Text(record.Name);
        to.Map(record.Values);
        to.End(start);
    }

    // offset 8, length 8, name string
    public static void Write(RecordBuffer to, McapMetadataIndex record)
    {
        var start = to.Begin(McapOpcode.MetadataIndex);
        to.U64(record.Offset);
        to.U64(record.Length);
        to.Text(record.Name);
        to.End(start);
    }

    // messages 8, schemas 2, channels 4, attachments 4, metadata 4, chunks 4, first and last log time 8 + 8,
    // map 4 + n * (channel 2, messages 8)
    public static void Write(RecordBuffer to, McapStatistics record)
    {
        var start = to.Begin(McapOpcode.Statistics);
        to.U64(record.MessageCount);
        to.U16(record.SchemaCount);
        to.U32(record.ChannelCount);
        to.U32(record.AttachmentCount);
        to.U32(record.MetadataCount);
        to.U32(record.ChunkCount);
        to.U64(record.MessageStartTime);
        to.U64(record.MessageEndTime);
        ChannelMap(to, record.ChannelMessageCounts);
        to.End(start);
    }

    // opcode of the group 1, its start 8, its length 8
    public static void Write(RecordBuffer to, McapSummaryOffset record)
    {
        var start = to.Begin(McapOpcode.SummaryOffset);
        to.U8((byte)record.GroupOpcode);
        to.U64(record.GroupStart);
        to.U64(record.GroupLength);
        to.End(start);
    }

    // CRC of the file so far 4
    public static void Write(RecordBuffer to, McapDataEnd record)
    {
        var start = to.Begin(McapOpcode.DataEnd);
        to.U32(record.DataSectionCrc);
        to.End(start);
    }

    private static void ChannelMap(RecordBuffer to, IReadOnlyDictionary<ushort, ulong> map)
    {
        to.U32((uint)map.Count * 10);
        foreach (var (channel, value) in map)
        {
            to.U16(channel);
            to.U64(value);
        }
    }
}
