namespace Abathur.Sync.Recordings.Mcap;

/// <summary>A file inside the file.</summary>
/// <param name="LogTime">When it was recorded, in nanoseconds.</param>
/// <param name="CreateTime">When it was made, in nanoseconds; 0 where unknown.</param>
/// <param name="Name">File name.</param>
/// <param name="MediaType">Media type, e.g. "text/plain".</param>
/// <param name="Data">Content.</param>
public sealed record McapAttachment(
    ulong LogTime, ulong CreateTime, string Name, string MediaType, ReadOnlyMemory<byte> Data) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Attachment;
}
