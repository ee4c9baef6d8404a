namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Says where an attachment is.</summary>
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
