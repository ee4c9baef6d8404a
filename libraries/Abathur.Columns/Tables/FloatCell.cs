using System.Runtime.CompilerServices;

namespace Abathur.Columns.Tables;

/// <summary>A float as an integer and a kind that defines its meaning; lossless for every float.</summary>
internal static class FloatCell
{
    /// <summary>q / 4096.</summary>
    public const int Grid = 0;

    /// <summary>3π/2 + q / 4096.</summary>
    public const int Angle = 1;

    /// <summary>The bits of the float.</summary>
    public const int Bits = 2;

    private const double AngleOrigin = 4.71238898038469;
    private const double Steps = 4096;

    /// <summary>Values of kind 0 and 1 beyond this do not occur in the game, and the bits of the float are smaller.</summary>
    private const double MaxSteps = 1 << 30;

    /// <summary>Finds the integer of a float.</summary>
    /// <param name="bits">The float's 32 bits.</param>
    /// <param name="mayBeAngle">Whether to try kind 1.</param>
    /// <param name="kind">One of the three.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long From(uint bits, bool mayBeAngle, out int kind)
    {
        var steps = BitConverter.UInt32BitsToSingle(bits) * Steps;
        var q = (long)steps;
        if (q == steps && Math.Abs(steps) < MaxSteps && bits != 0x8000_0000)
        {
            kind = Grid;
            return q;
        }
        return mayBeAngle ? FromAngle(bits, out kind) : FromBits(bits, out kind);
    }

    /// <summary>The 32 bits of the float with this integer and kind.</summary>
    public static uint ToBits(long q, int kind) => kind switch
    {
        Grid => BitConverter.SingleToUInt32Bits((float)(q / Steps)),
        Angle => BitConverter.SingleToUInt32Bits((float)(AngleOrigin + (q / Steps))),
        _ => (uint)q,
    };

    private static long FromAngle(uint bits, out int kind)
    {
        var steps = Math.Round((BitConverter.UInt32BitsToSingle(bits) - AngleOrigin) * Steps);
        if (Math.Abs(steps) < MaxSteps && ToBits((long)steps, Angle) == bits)
        {
            kind = Angle;
            return (long)steps;
        }
        return FromBits(bits, out kind);
    }

    private static long FromBits(uint bits, out int kind)
    {
        kind = Bits;
        return (int)bits;
    }
}
