namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Says where the records of one kind are in the summary section.</summary>
/// <param name="GroupOpcode">The kind.</param>
/// <param name="GroupStart">Offset of the first of them.</param>
/// <param name="GroupLength">Length of all of them.</param>
public sealed record McapSummaryOffset(McapOpcode GroupOpcode, ulong GroupStart, ulong GroupLength) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.SummaryOffset;
}
