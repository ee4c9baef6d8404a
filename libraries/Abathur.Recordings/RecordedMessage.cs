namespace Abathur.Recordings;

/// <summary>One message of a recording, of any topic.</summary>
/// <param name="Topic">Topic of its channel.</param>
/// <param name="SchemaName">Name of its schema; empty if it has none.</param>
/// <param name="GameLoop">Its game loop, by its publish time.</param>
/// <param name="LogTimeNs">When it was captured, in nanoseconds since 1970-01-01 UTC.</param>
/// <param name="Sequence">Its number in its channel.</param>
/// <param name="Payload">The message: a view that is valid until the next one is read.</param>
public readonly record struct RecordedMessage(
    string Topic, string SchemaName, uint GameLoop, ulong LogTimeNs, uint Sequence, ReadOnlyMemory<byte> Payload);
