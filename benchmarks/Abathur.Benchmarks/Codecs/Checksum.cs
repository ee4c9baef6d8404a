using System.Numerics;
using System.Runtime.InteropServices;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Folds values into 64 bits, in order; cheap, so that touching costs what reading the fields costs.</summary>
internal struct Checksum
{
    /// <summary>The checksum so far.</summary>
    public ulong Value { get; private set; }

    public void Add(ulong value) => Value = BitOperations.RotateLeft(Value, 5) ^ value;

    public void Add(uint value) => Add((ulong)value);

    public void Add(int value) => Add((ulong)(uint)value);

    public void Add(bool value) => Add(value ? 1UL : 2UL);

    /// <summary>By its bits: 0 is not -0. All NaN are the same, as not every format keeps their bits.</summary>
    public void Add(float value) => Add((ulong)BitConverter.SingleToUInt32Bits(float.IsNaN(value) ? float.NaN : value));

    public void Add(string value)
    {
        Add((ulong)value.Length);
        foreach (var character in value) Add((ulong)character);
    }

    /// <summary>Reads every byte.</summary>
    public void Add(ReadOnlySpan<byte> value)
    {
        Add((ulong)value.Length);
        var words = MemoryMarshal.Cast<byte, ulong>(value);
        var folded = 0UL;
        foreach (var word in words) folded ^= word;
        foreach (var single in value[(words.Length * sizeof(ulong))..]) folded ^= single;
        Add(folded);
    }
}
