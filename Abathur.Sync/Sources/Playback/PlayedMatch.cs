using Abathur.Protobuf;
using Abathur.Recordings;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Playback;

/// <summary>The match of a recording, for agents.</summary>
internal static class PlayedMatch
{
    public static Match Describe(RecordingReader recording, double tickHz, uint firstGameLoop, uint lastGameLoop)
    {
        var match = new Match
        {
            MatchId = recording.Match.MatchId,
            RunId = Guid.NewGuid().ToString("N"),
            PlayerId = recording.Match.PlayerId,
            MapName = recording.Match.MapName,
            GameVersion = recording.Match.GameVersion,
            TickHz = tickHz,
            Source = SourceKind.Playback,
            Simulated = recording.Match.Simulated,
            GroupId = recording.Match.GroupId,
            FirstGameLoop = firstGameLoop,
            LastGameLoop = lastGameLoop,
            FrameCount = (ulong)recording.FrameCount,
        };
        if (recording.GameInfo is { } gameInfo) match.GameInfo = LenientParser.Parse<ResponseGameInfo>(gameInfo.Span);
        if (recording.GameData is { } gameData) match.GameData = LenientParser.Parse<ResponseData>(gameData.Span);
        return match;
    }
}
