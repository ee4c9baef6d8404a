namespace Abathur.Synth;

/// <summary>PCG-XSH-RR with 64 bits of state (O'Neill, 2014): the same numbers on every machine and runtime.</summary>
internal sealed class SynthRandom
{
    private const ulong Multiplier = 6364136223846793005;
    private const ulong Increment = 1442695040888963407;

    private ulong _state;

    public SynthRandom(ulong seed)
    {
        _state = seed + Increment;
        NextUInt();
    }

    /// <summary>A number from 0 to <paramref name="limit"/> - 1.</summary>
    public int Below(int limit) => (int)(((ulong)NextUInt() * (uint)limit) >> 32);

    /// <summary>A number from <paramref name="from"/> to <paramref name="to"/>, both included.</summary>
    public int Between(int from, int to) => from + Below(to - from + 1);

    /// <summary>True in <paramref name="perMille"/> of 1,000 cases.</summary>
    public bool Chance(int perMille) => Below(1000) < perMille;

    private uint NextUInt()
    {
        var old = _state;
        _state = unchecked(old * Multiplier + Increment);
        return System.Numerics.BitOperations.RotateRight((uint)(((old >> 18) ^ old) >> 27), (int)(old >> 59));
    }
}
