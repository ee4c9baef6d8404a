using System.Runtime.InteropServices;
using System.Text;

namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>What JSON libraries share that write to a <see cref="TextWriter"/> and read from a <see cref="Stream"/>: UTF-8 bytes to UTF-8
/// bytes, without a string of the whole frame.</summary>
internal abstract class TextPlainCodec : PlainCodec, IDisposable
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);
    private readonly MemoryStream _output = new();

    public sealed override ReadOnlyMemory<byte> Encode(object source)
    {
        _output.SetLength(0);
        using (var writer = new StreamWriter(_output, Utf8, leaveOpen: true)) Write(writer, (ResponseObservation)source);
        return _output.GetBuffer().AsMemory(0, (int)_output.Length);
    }

    public sealed override object Decode(ReadOnlyMemory<byte> encoded)
    {
        using var input = MemoryMarshal.TryGetArray(encoded, out var segment)
            ? new MemoryStream(segment.Array!, segment.Offset, segment.Count, writable: false)
            : new MemoryStream(encoded.ToArray(), writable: false);
        return Read(input);
    }

    public void Dispose() => _output.Dispose();

    /// <summary>Writes a frame.</summary>
    protected abstract void Write(TextWriter writer, ResponseObservation observation);

    /// <summary>Reads a frame.</summary>
    protected abstract ResponseObservation Read(Stream input);
}
