using Abathur.Compression;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Another codec with one-shot compression of each frame behind it.</summary>
internal sealed class CompressedCodec(ICodec codec, PayloadCompression compression) : ICodec, IDisposable
{
    private readonly FrameCompressor _compressor = new(compression);

    public string Label => $"{codec.Label}, {_compressor.Label}";

    public IReadOnlyList<string> Footnotes =>
        [
            .. codec.Footnotes,
            $"Each frame is compressed independently: {_compressor.Label}, contexts and buffers reused if the library supports that.",
        ];

    public IReadOnlyList<string> CannotCarry => codec.CannotCarry;

    public bool IsStream => codec.IsStream;

    public bool IsKeyframe => codec.IsKeyframe;

    public void Restart() => codec.Restart();

    public object Prepare(byte[] observation) => codec.Prepare(observation);

    public ReadOnlyMemory<byte> Encode(object source) => _compressor.Compress(codec.Encode(source).Span);

    public object Decode(ReadOnlyMemory<byte> encoded) => codec.Decode(_compressor.Decompress(encoded));

    public ulong Touch(object decoded) => codec.Touch(decoded);

    public ResponseObservation ToObservation(object decoded) => codec.ToObservation(decoded);

    public ResponseObservation Expected(ResponseObservation original) => codec.Expected(original);

    public void Dispose()
    {
        _compressor.Dispose();
        (codec as IDisposable)?.Dispose();
    }
}
