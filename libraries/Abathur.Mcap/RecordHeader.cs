namespace Abathur.Mcap;

/// <summary>Where a record stands in the file; its content is inside the file.</summary>
internal readonly record struct RecordHeader(McapOpcode Opcode, long Offset, long ContentBytes)
{
    public long ContentOffset => Offset + McapFormat.RecordHeaderBytes;

    public long End => ContentOffset + ContentBytes;
}
