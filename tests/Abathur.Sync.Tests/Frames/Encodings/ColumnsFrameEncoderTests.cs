using System.Buffers;
using Abathur.Columns;
using Abathur.Columns.Tests;
using Abathur.Protobuf.FieldMasks;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;
using Abathur.Synth.Tests;
using SC2APIProtocol;
using StreamKind = Abathur.Sync.V1.Compression;

namespace Abathur.Sync.Tests.Frames.Encodings;

/// <summary>Encoding <c>columns</c> as streams have it: under a field mask, under each compression.</summary>
public class ColumnsFrameEncoderTests
{
    [Fact]
    public void Encode_FieldMask_OnlyWhatItNamesComesOut()
    {
        const string mask = "observation.game_loop,observation.raw_data.units.health,observation.raw_data.units.tag";
        var projection = WireProjection.For(ResponseObservation.Descriptor, mask.Split(','));
        var encoder = new StreamKey(new PayloadFormat(Encoding.Columns), 0, mask, 1).CreateEncoder()!;
        var decoder = new ColumnsDecoder();
        foreach (var frame in Generated.Skirmish.Skip(300).Take(20))
        {
            var (payload, expected) = (new ArrayBufferWriter<byte>(), new ArrayBufferWriter<byte>());
            encoder.Encode(frame, false, payload);
            decoder.Decode(payload.WrittenSpan);
            projection.Project(frame, expected);
            SameObservation.Assert(ResponseObservation.Parser.ParseFrom(expected.WrittenSpan), ColumnsStream.Read(decoder));
        }
    }

    [StreamCompressionData]
    [Theory]
    public void Encode_UnderAStreamCompression_KeyframesOfBothFallTogether(StreamKind compression)
    {
        var encoder = new StreamKey(new PayloadFormat(Encoding.Columns, compression), 3, "", 1).CreateEncoder()!;
        using var decompressor = StreamDecoder.For(compression);
        var (decoder, joiner) = (new ColumnsDecoder(), new ColumnsDecoder());
        var (keyframes, bytes) = (0, 0L);
        for (var i = 0; i < 60; i++)
        {
            var frame = Generated.Skirmish[600 + i];
            var payload = new ArrayBufferWriter<byte>();
            var encoded = encoder.Encode(frame, i is 0 or 30, payload);
            keyframes += encoded.IsKeyframe ? 1 : 0;
            if (encoded.IsKeyframe) decompressor.Restart();
            else bytes += payload.WrittenCount;
            var plain = decompressor.Decode(payload.WrittenSpan);
            Assert.Equal(encoded.PlainBytes, plain.Length);
            decoder.Decode(plain);
            if (i == 30) joiner.Decode(plain);
            if (i < 30) continue;
            if (i > 30) joiner.Decode(plain);
            SameObservation.Assert(ResponseObservation.Parser.ParseFrom(frame), ColumnsStream.Read(decoder));
            SameObservation.Assert(ResponseObservation.Parser.ParseFrom(frame), ColumnsStream.Read(joiner));
        }
        Assert.Equal(2, keyframes);
        Assert.InRange(bytes / 58, 1, 1000);
        (encoder as IDisposable)?.Dispose();
    }
}
