using System.Buffers;
using Abathur.Columns;
using Abathur.Mcap;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Recordings.Tests;

/// <summary>Small compact recordings whose frames are large: a keyframe of many units, and deltas in which nothing happens.</summary>
internal static class CompactBomb
{
    /// <summary>A file.</summary>
    /// <param name="segments">Its segments.</param>
    /// <param name="frames">Frames of each.</param>
    /// <param name="units">Units of each frame.</param>
    /// <param name="change">Changes each segment before it is written.</param>
    public static byte[] Write(int segments, int frames, int units, Action<ColumnsSegment>? change = null)
    {
        using var sample = new MemoryStream();
        using (var writer = new RecordingWriter(sample, RecordingSample.Match, new RecordingOptions { Compact = true }, leaveOpen: true))
            writer.WriteObservation(0, 0, RecordingSample.Observation(0));
        using var reader = RecordingSample.Open(sample.ToArray());
        var segment = Segment(frames, units);
        change?.Invoke(segment);
        using var output = new MemoryStream();
        using (var writer = new McapWriter(output, leaveOpen: true))
        {
            writer.WriteMetadata(reader.Mcap.ReadMetadata(reader.Mcap.Metadata[0]));
            foreach (var schema in reader.Mcap.Schemas.Values) writer.AddSchema(schema);
            foreach (var channel in reader.Mcap.Channels.Values) writer.AddChannel(channel);
            var columns = reader.Mcap.Channels.Values.Single(channel => channel.Topic == RecordingTopics.Columns).Id;
            for (var each = 0; each < segments; each++)
            {
                var time = (ulong)each * (ulong)frames;
                writer.WriteMessage(columns, (uint)time, time, time, segment.ToByteArray());
                writer.Flush();
            }
        }
        return output.ToArray();
    }

    private static ColumnsSegment Segment(int frames, int units)
    {
        var observation = new ResponseObservation { Observation = new Observation { RawData = new ObservationRaw() } };
        for (var tag = 1; tag <= units; tag++)
            observation.Observation.RawData.Units.Add(new Unit { Tag = (ulong)tag, UnitType = 48, Health = 45, Pos = new Point { X = 1 } });
        var encoder = new ColumnsEncoder();
        var bytes = observation.ToByteArray();
        var segment = new ColumnsSegment();
        var payload = new ArrayBufferWriter<byte>();
        for (var frame = 0; frame < Math.Min(frames, 3); frame++)
        {
            payload.ResetWrittenCount();
            encoder.Encode(bytes, keyframe: frame == 0, payload);
            segment.Payloads.Add(ByteString.CopyFrom(payload.WrittenSpan));
        }
        // The deltas are the same, as nothing happens.
        while (segment.Payloads.Count < frames) segment.Payloads.Add(segment.Payloads[^1]);
        for (var frame = 0; frame < frames; frame++)
        {
            segment.GameLoopSteps.Add(frame == 0 ? 0 : 1);
            segment.LogTimeSteps.Add(frame == 0 ? 0 : 1);
        }
        return segment;
    }
}
