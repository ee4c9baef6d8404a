using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Codec <c>protobuf-buffer</c>: Google.Protobuf into memory that is there already.</summary>
internal sealed class ProtobufBufferCodec : ProtobufCodec
{
    private readonly ArrayBufferWriter<byte> _buffer = new();

    public override IReadOnlyList<string> Footnotes =>
        ["Encodes with WriteTo(IBufferWriter<byte>) into one reused buffer; decodes as row protobuf does."];

    public override ReadOnlyMemory<byte> Encode(object source)
    {
        _buffer.ResetWrittenCount();
        ((ResponseObservation)source).WriteTo((IBufferWriter<byte>)_buffer);
        return _buffer.WrittenMemory;
    }
}
