namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>What codecs over the plain types share. A plain object holds what the message holds, save for unknown fields.</summary>
internal abstract class PlainCodec : ICodec
{
    public abstract string Label { get; }

    public abstract IReadOnlyList<string> Footnotes { get; }

    public virtual IReadOnlyList<string> CannotCarry => [];

    public object Prepare(byte[] observation) => SC2APIProtocol.ResponseObservation.Parser.ParseFrom(observation).ToPlain();

    public abstract ReadOnlyMemory<byte> Encode(object source);

    public abstract object Decode(ReadOnlyMemory<byte> encoded);

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ((ResponseObservation)decoded).Touch(ref sum);
        return sum.Value;
    }

    public SC2APIProtocol.ResponseObservation ToObservation(object decoded) => ((ResponseObservation)decoded).ToProtobuf();
}
