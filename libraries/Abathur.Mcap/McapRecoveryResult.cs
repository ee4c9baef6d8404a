namespace Abathur.Mcap;

/// <summary>What <see cref="McapRecovery"/> read from a damaged file.</summary>
/// <param name="MessageCount">Messages in the new file.</param>
/// <param name="MessagesByTopic">The same by topic; a topic whose channel has no message counts 0.</param>
/// <param name="ChunkCount">Complete chunks.</param>
/// <param name="CutChunkMessageCount">Messages from a chunk that is truncated by the end of the file.</param>
/// <param name="DamagedRecordCount">Records of the right length that could not be read; they were omitted.</param>
/// <param name="LostBytes">Bytes of the file, or of the decompressed part of a cut chunk, from which no record could be read.</param>
/// <param name="WasComplete">Whether nothing was wrong with the file.</param>
public sealed record McapRecoveryResult(
    long MessageCount, IReadOnlyDictionary<string, long> MessagesByTopic, long ChunkCount, long CutChunkMessageCount,
    long DamagedRecordCount, long LostBytes, bool WasComplete);
