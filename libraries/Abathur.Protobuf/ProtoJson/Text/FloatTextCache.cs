using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Abathur.Protobuf.ProtoJson.Text;

/// <summary>
/// A cache of texts of floats, as <c>float.ToString("r")</c> writes them. Frames have many equal values, so the last text of each
/// hash is kept; most floats of a frame then need only a comparison and a copy of 16 bytes. For one thread at a time; 96 KiB.
/// </summary>
internal sealed class FloatTextCache
{
    private const int Bits = 12;

    // No text is longer: -1.2345678e-10.
    private const int TextBytes = 16;
    private readonly Entry[] _entries = new Entry[1 << Bits];

    public FloatTextCache()
    {
        // Otherwise entry 0 would match 0 with an empty text.
        _entries[0].Value = 1;
    }

    /// <summary>Writes a finite value; <paramref name="output"/> must have 16 bytes, of which those after the text are undefined.</summary>
    /// <returns>Bytes of the text.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Write(float value, Span<byte> output)
    {
        var bits = BitConverter.SingleToUInt32Bits(value);
        ref var entry = ref _entries[(bits * 0x9E3779B1) >> (32 - Bits)];
        if (entry.Value != bits) Fill(ref entry, value, bits);
        MemoryMarshal.Write(output, in entry.Text);
        return entry.Length;
    }

    private static void Fill(ref Entry entry, float value, uint bits)
    {
        Span<byte> text = stackalloc byte[TextBytes];
        entry.Length = ShortestFloat.Write(value, text);
        entry.Text = Vector128.Create<byte>(text);
        entry.Value = bits;
    }

    private struct Entry
    {
        public uint Value;
        public int Length;
        public Vector128<byte> Text;
    }
}
