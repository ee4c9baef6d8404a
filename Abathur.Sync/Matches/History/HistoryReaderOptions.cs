using Abathur.Sync.Frames;

namespace Abathur.Sync.Matches.History;

/// <summary>What a subscriber gets of the history.</summary>
/// <param name="MatchId">Id of the match, which may not have begun when the reader is made.</param>
/// <param name="FirstGameLoop">Frames at or after this game loop; null: from the oldest kept one.</param>
/// <param name="MayBeEmpty">Whether there may be no such frame: the live ones follow then.</param>
/// <param name="Format">Payload format.</param>
/// <param name="CompressionLevel">Level of its compression; 0 without one.</param>
/// <param name="FieldMask">Canonical text of the field mask; empty: everything.</param>
/// <param name="EveryGameLoops">Frames are sent when their game loop is at least this many after the last one sent. 1: each frame.</param>
internal sealed record HistoryReaderOptions(
    Func<string> MatchId, uint? FirstGameLoop, bool MayBeEmpty, PayloadFormat Format, int CompressionLevel, string FieldMask,
    uint EveryGameLoops);
