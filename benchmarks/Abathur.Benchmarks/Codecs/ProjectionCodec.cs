using System.Buffers;
using Abathur.Protobuf.FieldMasks;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Codec <c>projection</c>: the daemon's field mask on wire bytes, and a parse of what it keeps.</summary>
internal sealed class ProjectionCodec : ICodec
{
    private const string Mask = "observation.game_loop,observation.player_common,observation.raw_data.units";
    private readonly ArrayBufferWriter<byte> _buffer = new();
    private readonly WireProjection _projection = WireProjection.For(ResponseObservation.Descriptor, Mask.Split(','));

    public string Label => "Abathur.Sync field mask on wire bytes";

    public IReadOnlyList<string> Footnotes =>
        [$"Not the whole observation: mask {Mask}. Encodes protobuf bytes, without parsing; decodes with Google.Protobuf's ParseFrom."];

    public IReadOnlyList<string> CannotCarry => [$"what the mask does not name (by design): it keeps {Mask}"];

    public object Prepare(byte[] observation) => observation;

    public ReadOnlyMemory<byte> Encode(object source)
    {
        _buffer.ResetWrittenCount();
        _projection.Project((byte[])source, _buffer);
        return _buffer.WrittenMemory;
    }

    public object Decode(ReadOnlyMemory<byte> encoded) => ResponseObservation.Parser.ParseFrom(encoded.Span);

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ((ResponseObservation)decoded).Touch(ref sum);
        return sum.Value;
    }

    public ResponseObservation ToObservation(object decoded) => (ResponseObservation)decoded;

    public ResponseObservation Expected(ResponseObservation original)
    {
        var expected = new ResponseObservation();
        if (original.Observation is not { } observation) return expected;
        expected.Observation = new Observation { PlayerCommon = observation.PlayerCommon };
        if (observation.HasGameLoop) expected.Observation.GameLoop = observation.GameLoop;
        if (observation.RawData is { } raw) expected.Observation.RawData = new ObservationRaw { Units = { raw.Units } };
        return expected;
    }
}
