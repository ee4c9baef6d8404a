using System.IO.Hashing;

namespace Abathur.Mcap;

/// <summary>Parses records into objects, which have copies of the content.</summary>
internal static class RecordParser
{
    /// <summary>Bytes of a Message record before its data: channel (2), sequence (4), log time (8), publish time (8).</summary>
    public const int MessageHeaderBytes = 22;

    public static McapHeader Header(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.Header, offset);
        return new McapHeader(fields.Text("profile"), fields.Text("library"));
    }

    public static McapFooter Footer(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.Footer, offset);
        return new McapFooter(fields.U64("summary_start"), fields.U64("summary_offset_start"), fields.U32("summary_crc"));
    }

    public static McapSchema Schema(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.Schema, offset);
        return new McapSchema(fields.U16("id"), fields.Text("name"), fields.Text("encoding"), fields.Bytes32("data").ToArray());
    }

    public static McapChannel Channel(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.Channel, offset);
        return new McapChannel(
            fields.U16("id"), fields.U16("schema_id"), fields.Text("topic"), fields.Text("message_encoding"), fields.Map("metadata"));
    }

    /// <summary>The only method that does not copy: the data of the message is a part of <paramref name="content"/>.</summary>
    public static McapMessage Message(ReadOnlyMemory<byte> content, long offset)
    {
        var fields = new RecordFields(content.Span, McapOpcode.Message, offset);
        return new McapMessage(
            fields.U16("channel_id"), fields.U32("sequence"), fields.U64("log_time"), fields.U64("publish_time"),
            content[MessageHeaderBytes..]);
    }

    public static McapMessageIndex MessageIndex(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.MessageIndex, offset);
        var channel = fields.U16("channel_id");
        var list = fields.Bytes32("records");
        var entries = new List<(ulong, ulong)>(list.Length / 16);
        var entry = new RecordFields(list, McapOpcode.MessageIndex, offset);
        while (!entry.Rest.IsEmpty) entries.Add((entry.U64("log_time"), entry.U64("offset")));
        return new McapMessageIndex(channel, entries);
    }

    public static McapChunkIndex ChunkIndex(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.ChunkIndex, offset);
        return new McapChunkIndex(
            fields.U64("message_start_time"), fields.U64("message_end_time"), fields.U64("chunk_start_offset"), fields.U64("chunk_length"),
            fields.ChannelMap("message_index_offsets"), fields.U64("message_index_length"),
            fields.Text("compression"), fields.U64("compressed_size"), fields.U64("uncompressed_size"));
    }

    public static McapAttachment Attachment(ReadOnlySpan<byte> content, long offset, bool verifyCrc)
    {
        var fields = new RecordFields(content, McapOpcode.Attachment, offset);
        var (logTime, createTime) = (fields.U64("log_time"), fields.U64("create_time"));
        var (name, mediaType) = (fields.Text("name"), fields.Text("media_type"));
        var data = fields.Bytes64("data");
        var covered = content[..^fields.Rest.Length];
        var crc = fields.U32("crc");
        if (verifyCrc && crc != 0 && Crc32.HashToUInt32(covered) != crc)
            throw new McapException($"Attachment record at offset {offset} is damaged: its CRC does not match its content", offset);
        return new McapAttachment(logTime, createTime, name, mediaType, data.ToArray());
    }

    public static McapAttachmentIndex AttachmentIndex(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.AttachmentIndex, offset);
        return new McapAttachmentIndex(
            fields.U64("offset"), fields.U64("length"), fields.U64("log_time"), fields.U64("create_time"), fields.U64("data_size"),
            fields.Text("name"), fields.Text("media_type"));
    }

    public static McapMetadata Metadata(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.Metadata, offset);
        return new McapMetadata(fields.Text("name"), fields.Map("metadata"));
    }

    public static McapMetadataIndex MetadataIndex(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.MetadataIndex, offset);
        return new McapMetadataIndex(fields.U64("offset"), fields.U64("length"), fields.Text("name"));
    }

    public static McapStatistics Statistics(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.Statistics, offset);
        return new McapStatistics(
            fields.U64("message_count"), fields.U16("schema_count"), fields.U32("channel_count"), fields.U32("attachment_count"),
            fields.U32("metadata_count"), fields.U32("chunk_count"), fields.U64("message_start_time"), fields.U64("message_end_time"),
            fields.ChannelMap("channel_message_counts"));
    }

    public static McapSummaryOffset SummaryOffset(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.SummaryOffset, offset);
        return new McapSummaryOffset((McapOpcode)fields.U8("group_opcode"), fields.U64("group_start"), fields.U64("group_length"));
    }

    public static McapDataEnd DataEnd(ReadOnlySpan<byte> content, long offset)
    {
        var fields = new RecordFields(content, McapOpcode.DataEnd, offset);
        return new McapDataEnd(fields.U32("data_section_crc"));
    }
}
