using System.Formats.Cbor;

namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>Codec <c>cbor</c>: System.Formats.Cbor, maps keyed by protobuf field number.</summary>
internal sealed class CborCodec : PlainCodec
{
    private readonly CborWriter _writer = new(CborConformanceMode.Lax, initialCapacity: 1 << 16);
    private readonly CborReader _reader = new(ReadOnlyMemory<byte>.Empty, CborConformanceMode.Lax);

    public override string Label => $"System.Formats.Cbor {PackageVersions.Of(typeof(CborWriter))}";

    public override IReadOnlyList<string> Footnotes =>
    [
        "Generated code over the plain types; maps of definite length whose keys are the protobuf field numbers (integers, not names); "
            + "32-bit floats.",
        "One CborWriter and one CborReader, Reset for each frame, conformance mode Lax (the default, Strict, also looks for duplicate "
            + "keys).",
    ];

    public override ReadOnlyMemory<byte> Encode(object source)
    {
        _writer.Reset();
        PlainCbor.Write(_writer, (ResponseObservation)source);
        return _writer.Encode();
    }

    public override object Decode(ReadOnlyMemory<byte> encoded)
    {
        _reader.Reset(encoded);
        return PlainCbor.ReadResponseObservation(_reader);
    }
}
