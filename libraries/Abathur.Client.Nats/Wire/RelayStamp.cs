using System.Globalization;
using System.Text;

namespace Abathur.Client.Nats.Wire;

/// <summary>The headers of a message on the subject of the frames.</summary>
/// <param name="Run">Identifies the run of the daemon's source; sequence numbers belong to it.</param>
/// <param name="Sequence">Number of the frame in the run; of an end, that of the last frame.</param>
/// <param name="GameLoop">Game loop of the frame; of an end, that of the last frame.</param>
/// <param name="Position">Place of the message in the stream, from 1.</param>
/// <param name="Keyframe">Position of the newest keyframe, on which the frame depends; its own if it is one.</param>
/// <param name="First">Position from which game loops only grow: the begin of the run, or where a playback last went back.</param>
/// <param name="End">Why no frame follows: the name of a gRPC status; empty for a frame.</param>
internal sealed record RelayStamp(
    string Run, ulong Sequence, uint GameLoop, ulong Position, ulong Keyframe, ulong First, string End = "")
{
    /// <summary>What a stream expects of a message that it stores.</summary>
    public const string ExpectedStream = "Nats-Expected-Stream", ExpectedLast = "Nats-Expected-Last-Sequence";

    private const string RunHeader = "Abathur-Run", SequenceHeader = "Abathur-Sequence", LoopHeader = "Abathur-Loop",
        KeyframeHeader = "Abathur-Keyframe", FirstHeader = "Abathur-First", EndHeader = "Abathur-End";

    /// <summary>The id with which a relay publishes the message: another relay has another one.</summary>
    public string MessageId(string relay) => string.Create(CultureInfo.InvariantCulture, $"{Run}.{Sequence}{End}.{relay}");

    /// <summary>The headers of the message, but for those that say where the stream stores it.</summary>
    public IEnumerable<(string Name, string Value)> Headers()
    {
        yield return (RunHeader, Run);
        yield return (SequenceHeader, Sequence.ToString(CultureInfo.InvariantCulture));
        yield return (LoopHeader, GameLoop.ToString(CultureInfo.InvariantCulture));
        yield return (KeyframeHeader, Keyframe.ToString(CultureInfo.InvariantCulture));
        yield return (FirstHeader, First.ToString(CultureInfo.InvariantCulture));
        if (End.Length > 0) yield return (EndHeader, End);
    }

    /// <summary>What the headers of a stored message say; null if no relay has published it for this match and position.</summary>
    /// <param name="headers">The headers as the server keeps them: a line of the protocol, and one for each.</param>
    /// <param name="match">Name of the match.</param>
    /// <param name="position">Where the message is stored.</param>
    public static RelayStamp? Of(ReadOnlySpan<byte> headers, string match, ulong position)
    {
        var found = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var line in Encoding.UTF8.GetString(headers).Split("\r\n").Skip(1))
        {
            var colon = line.IndexOf(':');
            if (colon > 0) found[line[..colon]] = line[(colon + 1)..].Trim();
        }
        return Of(found.GetValueOrDefault, match, position);
    }

    /// <summary>The same.</summary>
    /// <param name="headerOf">The value of a header; null: it is absent.</param>
    /// <param name="match">Name of the match.</param>
    /// <param name="position">Where the message is stored.</param>
    public static RelayStamp? Of(Func<string, string?> headerOf, string match, ulong position)
    {
        if (headerOf(ExpectedStream) != RelayNames.Stream(match) || headerOf(RunHeader) is not { } run) return null;
        if (!Number(ExpectedLast, out var last) || !Number(SequenceHeader, out var sequence) || !Number(LoopHeader, out var loop)
            || !Number(KeyframeHeader, out var keyframe) || !Number(FirstHeader, out var first) || loop > uint.MaxValue)
            return null;
        // What a frame depends on is not behind it.
        var isPossible = last + 1 == position && first <= position && keyframe >= 1 && keyframe <= position;
        return isPossible
            ? new RelayStamp(run, sequence, (uint)loop, position, keyframe, first, headerOf(EndHeader) ?? "")
            : null;

        bool Number(string name, out ulong value) =>
            ulong.TryParse(headerOf(name), NumberStyles.None, CultureInfo.InvariantCulture, out value);
    }
}
