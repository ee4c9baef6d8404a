using Abathur.Mcap;
using Abathur.Sc2;

namespace Abathur.Recordings.Conversion;

/// <summary>Writes a recording again: in compact form, or in full form.</summary>
public static class RecordingRewriter
{
    /// <summary>Writes all messages of a part of a recording, and its other records.</summary>
    /// <param name="recording">The recording; its position moves.</param>
    /// <param name="output">Where the new recording is written. It stays open.</param>
    /// <param name="options">How it is written.</param>
    /// <param name="start">Skips messages before this game loop, except game info and game data.</param>
    /// <param name="stop">Game loop of an observation before which to stop.</param>
    /// <param name="progress">Told the number of observations that are written, after each. Default: none.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>The number of observations.</returns>
    /// <exception cref="McapException">The recording is damaged.</exception>
    /// <exception cref="RecordingException">An observation is damaged.</exception>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static long Rewrite(
        RecordingReader recording, Stream output, RecordingOptions? options = null, uint start = 0, uint stop = uint.MaxValue,
        IProgress<long>? progress = null, CancellationToken cancellationToken = default)
    {
        using var writer = new RecordingWriter(output, recording.Match, options, leaveOpen: true);
        foreach (var index in recording.Mcap.Metadata)
        {
            if (index.Name is not (RecordingMatch.MetadataName or CompactFrames.MetadataName or FrameRuns.MetadataName))
                writer.Mcap.WriteMetadata(recording.Mcap.ReadMetadata(index));
        }
        foreach (var index in recording.Mcap.Attachments) writer.Mcap.WriteAttachment(recording.Mcap.ReadAttachment(index));
        if (start > 0) WriteStateAt(start, recording, writer);
        var foreign = new ForeignTopics(recording.Mcap, writer.Mcap);
        foreach (var message in recording.ReadMessages(start))
        {
            cancellationToken.ThrowIfCancellationRequested();
            var isObservation = message.Topic == RecordingTopics.Observation;
            if (isObservation && stop != uint.MaxValue && message.GameLoop >= stop) break;
            if (RecordingTopics.All.Contains(message.Topic)) writer.WriteMessage(message);
            else foreign.Write(message);
            if (isObservation) progress?.Report(writer.ObservationCount);
        }
        writer.Close();
        return writer.ObservationCount;
    }

    /// <summary>What was written before a game loop and is in force there.</summary>
    private static void WriteStateAt(uint gameLoop, RecordingReader recording, RecordingWriter writer)
    {
        if (!recording.SeekToGameLoop(gameLoop) || !recording.ReadNext(out var first)) return;
        if (recording.GameInfo is { } gameInfo) writer.WriteGameInfo(first.CapturedUnixNs, gameInfo.Span);
        if (recording.GameData is { } gameData) writer.WriteGameData(first.CapturedUnixNs, gameData.Span);
        if (!recording.Drawings.IsEmpty) writer.WriteDrawings(first.GameLoop, first.CapturedUnixNs, recording.Drawings.Span);
    }

    /// <summary>Topics that this library does not know.</summary>
    private sealed class ForeignTopics(McapReader input, McapWriter output)
    {
        private readonly Dictionary<string, ushort> _channels = [];

        public void Write(in RecordedMessage message)
        {
            if (!_channels.TryGetValue(message.Topic, out var channel)) _channels[message.Topic] = channel = Add(message.Topic);
            output.WriteMessage(
                channel, message.Sequence, message.LogTimeNs, GameTime.ToNanoseconds(message.GameLoop), message.Payload.Span);
        }

        private ushort Add(string topic)
        {
            var channel = input.Channels.Values.First(channel => channel.Topic == topic);
            var schema = input.Schemas.GetValueOrDefault(channel.SchemaId);
            var schemaId = schema is null ? (ushort)0 : output.AddSchema(schema.Name, schema.Encoding, schema.Data);
            return output.AddChannel(schemaId, topic, channel.MessageEncoding, channel.Metadata);
        }
    }
}
