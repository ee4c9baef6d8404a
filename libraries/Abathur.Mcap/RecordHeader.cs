namespace Abathur.Mcap;

/// <summary>Position of a record in the file; its content is known to be inside the file.</summary>
internal readonly record struct RecordHeader(McapOpcode Opcode, long Offset, long ContentBytes)
{
    public long ContentOffset => Offset + McapFormat.RecordHeaderBytes;

    public long End => ContentOffset + ContentBytes;
}
