namespace Abathur.Mcap;

/// <summary>A record of an MCAP file: opcode (1 byte), content length (8 bytes, little-endian), content.</summary>
public interface IMcapRecord
{
    /// <summary>Its kind.</summary>
    McapOpcode Opcode { get; }
}

/// <summary>Kinds of MCAP records. Others may appear in a file and are skipped; 0x80 and up are private.</summary>
public enum McapOpcode : byte
{
    /// <summary>Not a record.</summary>
    None = 0x00,

    /// <summary>The first record.</summary>
    Header = 0x01,

    /// <summary>The last record: where the summary is.</summary>
    Footer = 0x02,

    /// <summary>Describes messages.</summary>
    Schema = 0x03,

    /// <summary>A topic and its schema.</summary>
    Channel = 0x04,

    /// <summary>A message of a channel.</summary>
    Message = 0x05,

    /// <summary>Records that are compressed together.</summary>
    Chunk = 0x06,

    /// <summary>Where the messages of a channel are in a chunk.</summary>
    MessageIndex = 0x07,

    /// <summary>Where a chunk is, and which times it has.</summary>
    ChunkIndex = 0x08,

    /// <summary>A file beside the messages.</summary>
    Attachment = 0x09,

    /// <summary>Where an attachment is.</summary>
    AttachmentIndex = 0x0A,

    /// <summary>Counts, and first and last time.</summary>
    Statistics = 0x0B,

    /// <summary>Names and values.</summary>
    Metadata = 0x0C,

    /// <summary>Where metadata is.</summary>
    MetadataIndex = 0x0D,

    /// <summary>Where records of a kind are in the summary.</summary>
    SummaryOffset = 0x0E,

    /// <summary>The end of the data.</summary>
    DataEnd = 0x0F,
}

/// <summary>The first record of a file.</summary>
/// <param name="Profile">Name of a set of conventions that the file follows; may be empty.</param>
/// <param name="Library">The library that wrote the file; may be empty.</param>
public sealed record McapHeader(string Profile, string Library) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Header;
}

/// <summary>Describes the messages of channels.</summary>
/// <param name="Id">Number of the schema in this file, not 0.</param>
/// <param name="Name">Name, for protobuf the full name of the message type.</param>
/// <param name="Encoding">What <paramref name="Data"/> is, e.g. "protobuf".</param>
/// <param name="Data">The description itself, for protobuf a <c>FileDescriptorSet</c> with all that it imports.</param>
public sealed record McapSchema(ushort Id, string Name, string Encoding, ReadOnlyMemory<byte> Data) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Schema;
}

/// <summary>A stream of messages of one kind.</summary>
/// <param name="Id">Number of the channel in this file.</param>
/// <param name="SchemaId">Its schema; 0 if it has none.</param>
/// <param name="Topic">Name, e.g. "/observation".</param>
/// <param name="MessageEncoding">How messages are written, e.g. "protobuf".</param>
/// <param name="Metadata">Further properties.</param>
public sealed record McapChannel(
    ushort Id, ushort SchemaId, string Topic, string MessageEncoding, IReadOnlyDictionary<string, string> Metadata) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Channel;
}

/// <summary>One message of a channel.</summary>
/// <param name="ChannelId">Its channel.</param>
/// <param name="Sequence">Sequence number of the publisher.</param>
/// <param name="LogTime">When it was recorded, in nanoseconds.</param>
/// <param name="PublishTime">When it was published, in nanoseconds.</param>
/// <param name="Data">The message. From a cursor: a view that is valid until the cursor moves.</param>
public readonly record struct McapMessage(
    ushort ChannelId, uint Sequence, ulong LogTime, ulong PublishTime, ReadOnlyMemory<byte> Data) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Message;
}

/// <summary>A file inside the file.</summary>
/// <param name="LogTime">When it was recorded, in nanoseconds.</param>
/// <param name="CreateTime">When it was made, in nanoseconds; 0 if unknown.</param>
/// <param name="Name">File name.</param>
/// <param name="MediaType">Media type, e.g. "text/plain".</param>
/// <param name="Data">Content.</param>
public sealed record McapAttachment(
    ulong LogTime, ulong CreateTime, string Name, string MediaType, ReadOnlyMemory<byte> Data) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Attachment;
}

/// <summary>Named strings about the recording.</summary>
/// <param name="Name">Name of the record.</param>
/// <param name="Values">Its keys and values.</param>
public sealed record McapMetadata(string Name, IReadOnlyDictionary<string, string> Values) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Metadata;
}

/// <summary>Offsets of the messages of one channel in the preceding chunk.</summary>
/// <param name="ChannelId">The channel.</param>
/// <param name="Entries">Log time of each message, and the offset of its record within the uncompressed chunk.</param>
public sealed record McapMessageIndex(ushort ChannelId, IReadOnlyList<(ulong LogTime, ulong Offset)> Entries) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.MessageIndex;
}

/// <summary>Position and content of a chunk.</summary>
/// <param name="MessageStartTime">Lowest log time in the chunk; 0 if it has no messages.</param>
/// <param name="MessageEndTime">Highest log time in the chunk; 0 if it has no messages.</param>
/// <param name="ChunkStartOffset">Offset of the Chunk record.</param>
/// <param name="ChunkLength">Length of the Chunk record, opcode and length included.</param>
/// <param name="MessageIndexOffsets">Offset of the MessageIndex record of each channel; empty if there are none.</param>
/// <param name="MessageIndexLength">Length of all MessageIndex records of the chunk.</param>
/// <param name="Compression">"", "zstd" or "lz4".</param>
/// <param name="CompressedSize">Bytes of records in the chunk as they are stored.</param>
/// <param name="UncompressedSize">Bytes of records in the chunk before compression.</param>
public sealed record McapChunkIndex(
    ulong MessageStartTime, ulong MessageEndTime, ulong ChunkStartOffset, ulong ChunkLength,
    IReadOnlyDictionary<ushort, ulong> MessageIndexOffsets, ulong MessageIndexLength,
    string Compression, ulong CompressedSize, ulong UncompressedSize) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.ChunkIndex;
}

/// <summary>Position of an attachment.</summary>
/// <param name="Offset">Offset of the Attachment record.</param>
/// <param name="Length">Length of that record, opcode and length included.</param>
/// <param name="LogTime">As in the attachment.</param>
/// <param name="CreateTime">As in the attachment.</param>
/// <param name="DataSize">Bytes of its content.</param>
/// <param name="Name">As in the attachment.</param>
/// <param name="MediaType">As in the attachment.</param>
public sealed record McapAttachmentIndex(
    ulong Offset, ulong Length, ulong LogTime, ulong CreateTime, ulong DataSize, string Name, string MediaType) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.AttachmentIndex;
}

/// <summary>Position of a metadata record.</summary>
/// <param name="Offset">Offset of the Metadata record.</param>
/// <param name="Length">Length of that record, opcode and length included.</param>
/// <param name="Name">Name of that record.</param>
public sealed record McapMetadataIndex(ulong Offset, ulong Length, string Name) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.MetadataIndex;
}

/// <summary>Counts of the content of a file.</summary>
/// <param name="MessageCount">Messages.</param>
/// <param name="SchemaCount">Different schemas.</param>
/// <param name="ChannelCount">Different channels.</param>
/// <param name="AttachmentCount">Attachments.</param>
/// <param name="MetadataCount">Metadata records.</param>
/// <param name="ChunkCount">Chunks.</param>
/// <param name="MessageStartTime">Lowest log time; 0 if there are no messages.</param>
/// <param name="MessageEndTime">Highest log time; 0 if there are no messages.</param>
/// <param name="ChannelMessageCounts">Messages of each channel.</param>
public sealed record McapStatistics(
    ulong MessageCount, ushort SchemaCount, uint ChannelCount, uint AttachmentCount, uint MetadataCount, uint ChunkCount,
    ulong MessageStartTime, ulong MessageEndTime, IReadOnlyDictionary<ushort, ulong> ChannelMessageCounts) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Statistics;
}

/// <summary>Position of the records of one kind in the summary section.</summary>
/// <param name="GroupOpcode">The kind.</param>
/// <param name="GroupStart">Offset of the first of them.</param>
/// <param name="GroupLength">Length of all of them.</param>
public sealed record McapSummaryOffset(McapOpcode GroupOpcode, ulong GroupStart, ulong GroupLength) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.SummaryOffset;
}

/// <summary>The end of the data section.</summary>
/// <param name="DataSectionCrc">CRC-32 of the file up to this record; 0 if it was not computed.</param>
public sealed record McapDataEnd(uint DataSectionCrc) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.DataEnd;
}

/// <summary>The last record of a file.</summary>
/// <param name="SummaryStart">Offset of the summary section; 0 if the file has no summary.</param>
/// <param name="SummaryOffsetStart">Offset of the summary offset section; 0 if the file has no such section.</param>
/// <param name="SummaryCrc">CRC-32 from the start of the summary section up to this field; 0 if it was not computed.</param>
public sealed record McapFooter(ulong SummaryStart, ulong SummaryOffsetStart, uint SummaryCrc) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Footer;
}
