namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Kinds of MCAP records. Others may appear in a file and are skipped; 0x80 and up are private.</summary>
public enum McapOpcode : byte
{
    None = 0x00,
    Header = 0x01,
    Footer = 0x02,
    Schema = 0x03,
    Channel = 0x04,
    Message = 0x05,
    Chunk = 0x06,
    MessageIndex = 0x07,
    ChunkIndex = 0x08,
    Attachment = 0x09,
    AttachmentIndex = 0x0A,
    Statistics = 0x0B,
    Metadata = 0x0C,
    MetadataIndex = 0x0D,
    SummaryOffset = 0x0E,
    DataEnd = 0x0F,
}
