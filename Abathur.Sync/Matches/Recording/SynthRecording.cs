using Abathur.Recordings;
using Abathur.Sc2;
using Abathur.Synth;
using Google.Protobuf;

namespace Abathur.Sync.Matches.Recording;

/// <summary>
/// Records a generated match: its observations, both players' actions, and its events. The same generator gives the same
/// bytes, so capture times count from a fixed day.
/// </summary>
internal sealed class SynthRecording : IDisposable
{
    private static readonly long StartUnixNs = (
        new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero) - DateTimeOffset.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick;

    private readonly MatchGenerator _generator;
    private readonly RecordingWriter _writer;

    public SynthRecording(Stream output, string matchId, MatchGenerator generator, RecordingOptions options)
    {
        _generator = generator;
        var match = new RecordingMatch
        {
            MatchId = matchId,
            PlayerId = 1,
            MapName = generator.GameInfo.MapName,
            Source = "synth",
            Simulated = true,
        };
        _writer = new RecordingWriter(output, match, options, leaveOpen: true);
        _writer.WriteGameInfo(StartUnixNs, generator.GameInfo.ToByteArray());
        _writer.WriteGameData(StartUnixNs, generator.GameData.ToByteArray());
    }

    /// <summary>Observations recorded so far.</summary>
    public long FrameCount => _writer.ObservationCount;

    /// <summary>Records the generator's current frame with the actions and events before it.</summary>
    public void Add()
    {
        var gameLoop = _generator.GameLoop;
        var captured = StartUnixNs + (long)GameTime.ToNanoseconds(gameLoop);
        for (var player = 1; player <= 2; player++)
        {
            var actions = _generator.ActionsOf(player);
            if (actions.Actions.Count > 0) _writer.WriteActions(gameLoop, captured, actions.ToByteArray());
        }
        foreach (var each in _generator.Events) _writer.WriteEvent(captured, each);
        _writer.WriteObservation(gameLoop, captured, _generator.Observation.Span);
    }

    /// <summary>Completes the file.</summary>
    public void Close() => _writer.Close();

    public void Dispose() => _writer.Dispose();
}
