namespace Abathur.Sync.Recordings.Mcap;

/// <summary>The last record of a file.</summary>
/// <param name="SummaryStart">Offset of the summary section; 0 where there is none.</param>
/// <param name="SummaryOffsetStart">Offset of the summary offset section; 0 where there is none.</param>
/// <param name="SummaryCrc">CRC-32 from the start of the summary section up to this field; 0 where there is none.</param>
public sealed record McapFooter(ulong SummaryStart, ulong SummaryOffsetStart, uint SummaryCrc) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Footer;
}
