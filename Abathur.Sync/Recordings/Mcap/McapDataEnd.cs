namespace Abathur.Sync.Recordings.Mcap;

/// <summary>The end of the data section.</summary>
/// <param name="DataSectionCrc">CRC-32 of the file up to this record; 0 where there is none.</param>
public sealed record McapDataEnd(uint DataSectionCrc) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.DataEnd;
}
