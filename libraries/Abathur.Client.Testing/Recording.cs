using System.Buffers;
using Abathur.Protobuf;
using Abathur.Recordings;
using Abathur.Sc2;
using Abathur.Sync.V1;
using SC2APIProtocol;

namespace Abathur.Client.Testing;

/// <summary>A recorded match, with the frames that a daemon gives. No daemon is needed. Not thread-safe.</summary>
public sealed class Recording : IDisposable
{
    private readonly RecordingReader _reader;

    private Recording(RecordingReader reader, string path)
    {
        (_reader, Path) = (reader, path);
        Match = new Match
        {
            MatchId = reader.Match.MatchId,
            PlayerId = reader.Match.PlayerId,
            MapName = reader.Match.MapName,
            GameVersion = reader.Match.GameVersion,
            TickHz = reader.Match.TickHz,
            Source = SourceKind.Playback,
            Simulated = reader.Match.Simulated,
            FirstGameLoop = reader.FirstGameLoop,
            LastGameLoop = reader.LastGameLoop,
            FrameCount = (ulong)reader.FrameCount,
        };
        if (reader.GameInfo is { } info) Match.GameInfo = LenientParser.Parse<ResponseGameInfo>(info.Span);
        if (reader.GameData is { } data) Match.GameData = LenientParser.Parse<ResponseData>(data.Span);
    }

    /// <summary>The file.</summary>
    public string Path { get; }

    /// <summary>What is fixed for the match: map, game info, game data, first and last game loop.</summary>
    public Match Match { get; }

    /// <summary>Opens a recording.</summary>
    /// <exception cref="Mcap.McapException">The file is not MCAP, or damaged.</exception>
    /// <exception cref="RecordingException">There is no such file, or it is no recording of a match.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public static Recording Open(string path)
    {
        var reader = RecordingReader.Open(path);
        try
        {
            return new Recording(reader, path);
        }
        catch
        {
            reader.Dispose();
            throw;
        }
    }

    /// <summary>The frames in order. An enumeration ends the one before.</summary>
    /// <param name="start">First game loop.</param>
    /// <param name="stop">Game loop before which it ends; null: at the end.</param>
    /// <param name="every">Only frames at least this many game loops apart, and the last one of the recording. What happened once in those
    /// between comes as <see cref="GameFrame.SkippedEvents"/>, as from a daemon.</param>
    /// <returns>Frames that use the same memory: each is valid until the next one. <see cref="GameFrame.Clone"/> makes a copy that stays.
    /// </returns>
    /// <exception cref="Mcap.McapException">The file is damaged there.</exception>
    public IEnumerable<GameFrame> Frames(uint start = 0, uint? stop = null, uint every = 1)
    {
        var frames = new FrameSequence(Match.GameData);
        SkippedEvents? skipped = null;
        uint? last = null;
        _reader.Rewind();
        if (start > 0 && !_reader.SeekToGameLoop(start)) yield break;
        // The reader's view is valid only until the next one is read, which may be the last.
        var excluded = new ArrayBufferWriter<byte>();
        uint? excludedLoop = null;
        while (_reader.ReadNext(out var recorded))
        {
            if (recorded.GameLoop >= stop) yield break;
            if (excludedLoop is not null) (skipped ??= new SkippedEvents()).Add(excluded.WrittenSpan);
            excluded.ResetWrittenCount();
            excludedLoop = null;
            // A game loop that goes back restarts the count.
            if (last <= recorded.GameLoop && recorded.GameLoop - last < every)
            {
                excluded.Write(recorded.Payload.Span);
                excludedLoop = recorded.GameLoop;
                continue;
            }
            last = recorded.GameLoop;
            yield return frames.Next(recorded.Payload, recorded.GameLoop, Match.MatchId, Parse(skipped));
            skipped?.Clear();
        }
        if (excludedLoop is { } end) yield return frames.Next(excluded.WrittenMemory, end, Match.MatchId, Parse(skipped));
    }

    private static ResponseObservation? Parse(SkippedEvents? skipped) =>
        skipped?.ToFields() is { IsEmpty: false } fields ? LenientParser.Parse<ResponseObservation>(fields.Span) : null;

    /// <inheritdoc/>
    public void Dispose() => _reader.Dispose();
}
