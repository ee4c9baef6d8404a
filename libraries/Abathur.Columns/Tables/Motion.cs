namespace Abathur.Columns.Tables;

/// <summary>The movement of a unit in its facing direction in one frame: the same integers on every machine and in every
/// language.</summary>
internal static class Motion
{
    /// <summary>Speeds from this one on (1/4096 map cells a frame) have no step.</summary>
    public const long MaxSpeed = 1 << 20;

    private const int MaxFacing = 32_767;
    private const int FractionBits = 20;
    private static readonly int[] Cosine = Table(Cos);
    private static readonly int[] Sine = Table(Sin);

    /// <summary>The step of a unit; false if it has none.</summary>
    /// <param name="facing">Cell of its facing.</param>
    /// <param name="kind">Kind of that cell.</param>
    /// <param name="speed">1/4096 map cells a frame.</param>
    /// <param name="x">Step in 1/4096 map cells.</param>
    /// <param name="y">Step in 1/4096 map cells.</param>
    public static bool TryStep(long facing, int kind, long speed, out long x, out long y)
    {
        x = y = 0;
        if (kind >= FloatCell.Bits || (ulong)speed >= MaxSpeed || facing is < -MaxFacing or > MaxFacing) return false;
        long cosine = Cosine[Math.Abs(facing)];
        long sine = facing < 0 ? -Sine[-facing] : Sine[facing];
        x = Scale(speed, kind == FloatCell.Grid ? cosine : sine);
        y = Scale(speed, kind == FloatCell.Grid ? sine : -cosine);
        return true;
    }

    /// <summary>The speed of a unit that has moved by this distance in one frame.</summary>
    public static long SpeedOf(long dx, long dy)
    {
        double x = dx, y = dy;
        return (long)Math.Min(Math.Floor(Math.Sqrt((x * x) + (y * y)) + 0.5), MaxSpeed);
    }

    private static long Scale(long speed, long direction) => ((speed * direction) + (1 << (FractionBits - 1))) >> FractionBits;

    private static int[] Table(Func<double, double> function)
    {
        var table = new int[MaxFacing + 1];
        for (var k = 0; k <= MaxFacing; k++) table[k] = (int)Math.Floor(((1 << FractionBits) * function(k / 4096.0)) + 0.5);
        return table;
    }

    private static double Cos(double t)
    {
        var u = -(t * t);
        double term = 1, sum = 1;
        for (var n = 1; n <= 24; n++)
        {
            term = term * u / (((2 * n) - 1) * (2 * n));
            sum += term;
        }
        return sum;
    }

    private static double Sin(double t)
    {
        var u = -(t * t);
        double term = t, sum = t;
        for (var n = 1; n <= 24; n++)
        {
            term = term * u / (2 * n * ((2 * n) + 1));
            sum += term;
        }
        return sum;
    }
}
