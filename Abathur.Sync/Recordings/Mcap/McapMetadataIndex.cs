namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Says where a metadata record is.</summary>
/// <param name="Offset">Offset of the Metadata record.</param>
/// <param name="Length">Length of that record, opcode and length included.</param>
/// <param name="Name">Name of that record.</param>
public sealed record McapMetadataIndex(ulong Offset, ulong Length, string Name) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.MetadataIndex;
}
