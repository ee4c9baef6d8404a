namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Says where a chunk is and what is in it.</summary>
/// <param name="MessageStartTime">Lowest log time in the chunk; 0 where it has no messages.</param>
/// <param name="MessageEndTime">Highest log time in the chunk; 0 where it has no messages.</param>
/// <param name="ChunkStartOffset">Offset of the Chunk record.</param>
/// <param name="ChunkLength">Length of the Chunk record, opcode and length included.</param>
/// <param name="MessageIndexOffsets">Offset of the MessageIndex record of each channel; empty where there are none.</param>
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
