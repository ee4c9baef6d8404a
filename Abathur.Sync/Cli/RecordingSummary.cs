using System.Text.Json.Serialization;
using Abathur.Protobuf;
using Abathur.Recordings;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Cli;

/// <summary>What <c>info --json</c> prints about a recording.</summary>
internal sealed record RecordingSummary
{
    public required string File { get; init; }

    /// <summary>Bytes of the file.</summary>
    public required long FileBytes { get; init; }

    /// <summary>Whether the file has a valid end.</summary>
    public required bool Complete { get; init; }

    /// <summary>What is wrong with the end of the file; omitted if it is valid.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Damage { get; init; }

    public required string Library { get; init; }

    public required RecordedMatch Match { get; init; }

    public required long Frames { get; init; }

    public required uint FirstGameLoop { get; init; }

    public required uint LastGameLoop { get; init; }

    /// <summary>Units of the first observation: their number by the name of the type, or by its number if it has no name.</summary>
    public required IReadOnlyDictionary<string, int> FirstFrameUnits { get; init; }

    /// <summary>Entries of the match's metadata that are not in <see cref="Match"/>.</summary>
    public required IReadOnlyDictionary<string, string> Metadata { get; init; }

    public required double DurationSeconds { get; init; }

    /// <summary>Log time of the first and last message, nanoseconds since 1970-01-01 UTC.</summary>
    public required ulong StartTimeNs { get; init; }

    public required ulong EndTimeNs { get; init; }

    /// <summary>Bytes of the file for each observation.</summary>
    public required double BytesPerFrame { get; init; }

    /// <summary>Uncompressed divided by compressed bytes of the chunks; 1 if nothing is compressed.</summary>
    public required double CompressionRatio { get; init; }

    /// <summary>Kinds of compression in use: "none", "zstd".</summary>
    public required IReadOnlyList<string> Compression { get; init; }

    public required int Chunks { get; init; }

    /// <summary>Bytes of the largest chunk, uncompressed.</summary>
    public required ulong LargestChunkBytes { get; init; }

    /// <summary>Bytes of the game info and the game data, or 0.</summary>
    public required int GameInfoBytes { get; init; }

    public required int GameDataBytes { get; init; }

    public required IReadOnlyList<ChannelSummary> Channels { get; init; }

    public static RecordingSummary Of(string file, RecordingReader recording)
    {
        var mcap = recording.Mcap;
        var match = recording.Match;
        var stored = mcap.Chunks.Sum(chunk => (double)chunk.CompressedSize);
        return new RecordingSummary
        {
            File = file,
            FileBytes = mcap.FileBytes,
            Complete = !recording.Truncated,
            Damage = recording.Damage,
            Library = mcap.Header.Library,
            Match = new RecordedMatch(
                match.MatchId, match.PlayerId, match.MapName, match.GameVersion, match.TickHz, match.Source, match.Simulated,
                match.GroupId),
            Frames = recording.FrameCount,
            FirstGameLoop = recording.FirstGameLoop,
            LastGameLoop = recording.LastGameLoop,
            FirstFrameUnits = UnitsOf(recording),
            Metadata = match.More,
            DurationSeconds = Math.Round(recording.Duration.TotalSeconds, 3),
            StartTimeNs = mcap.Statistics.MessageStartTime,
            EndTimeNs = mcap.Statistics.MessageEndTime,
            BytesPerFrame = recording.FrameCount == 0 ? 0 : Math.Round(mcap.FileBytes / (double)recording.FrameCount, 1),
            CompressionRatio = stored == 0 ? 1 : Math.Round(mcap.Chunks.Sum(chunk => (double)chunk.UncompressedSize) / stored, 2),
            Compression = mcap.Chunks.Select(chunk => chunk.Compression.Length == 0 ? "none" : chunk.Compression).Distinct().ToArray(),
            Chunks = mcap.Chunks.Count,
            LargestChunkBytes = mcap.Chunks.Count == 0 ? 0 : mcap.Chunks.Max(chunk => chunk.UncompressedSize),
            GameInfoBytes = recording.GameInfo?.Length ?? 0,
            GameDataBytes = recording.GameData?.Length ?? 0,
            Channels = mcap.Channels.Values.OrderBy(channel => channel.Id).Select(channel => new ChannelSummary(
                channel.Id, channel.Topic, mcap.Schemas.GetValueOrDefault(channel.SchemaId)?.Name ?? "", channel.MessageEncoding,
                mcap.Statistics.ChannelMessageCounts.GetValueOrDefault(channel.Id))).ToArray(),
        };
    }

    private static Dictionary<string, int> UnitsOf(RecordingReader recording)
    {
        recording.Rewind();
        if (!recording.ReadNext(out var first)) return [];
        try
        {
            var units = LenientParser.Parse<ResponseObservation>(first.Payload.Span).Observation?.RawData?.Units ?? [];
            if (units.Count == 0) return [];
            var names = GameNames.Of(recording);
            return units.GroupBy(unit => names.Unit(unit.UnitType)).ToDictionary(type => type.Key, type => type.Count());
        }
        catch (InvalidProtocolBufferException)
        {
            // A file like that is still worth showing.
            return [];
        }
    }

    internal sealed record RecordedMatch(
        string MatchId, uint PlayerId, string MapName, string GameVersion, double TickHz, string Source, bool Simulated, string GroupId);

    internal sealed record ChannelSummary(ushort Id, string Topic, string Schema, string MessageEncoding, ulong Messages);
}
