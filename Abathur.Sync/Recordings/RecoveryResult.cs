namespace Abathur.Sync.Recordings;

/// <summary>What <see cref="RecordingRecovery"/> got out of a file.</summary>
/// <param name="MessageCount">Messages in the new file.</param>
/// <param name="ObservationCount">Those of them that are observations.</param>
/// <param name="ChunkCount">Chunks that were whole.</param>
/// <param name="CutChunkMessageCount">Messages that came from a chunk that was cut.</param>
/// <param name="DamagedRecordCount">Records that were whole by their length, but not readable; left out.</param>
/// <param name="LostBytes">Bytes of the file, or of the decompressed part of a cut chunk, that no record could be made of.</param>
/// <param name="WasComplete">Whether nothing was wrong with the file.</param>
public readonly record struct RecoveryResult(
    long MessageCount, long ObservationCount, long ChunkCount, long CutChunkMessageCount, long DamagedRecordCount, long LostBytes,
    bool WasComplete)
{
    /// <summary>Messages in the new file by topic; also of topics that have a channel and no message.</summary>
    public required IReadOnlyDictionary<string, long> MessagesByTopic { get; init; }
}
