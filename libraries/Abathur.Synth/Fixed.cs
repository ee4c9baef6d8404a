namespace Abathur.Synth;

/// <summary>
/// The engine's number grid: lengths and points in 1/4096, angles in 1/4096 radian. Sine and arc tangent are computed here
/// from additions, products and quotients alone, since those of the system's libm differ between machines.
/// </summary>
internal static class Fixed
{
    /// <summary>1 cell, 1 hit point, 1 game loop.</summary>
    public const int One = 4096;

    /// <summary>A full turn, 2π.</summary>
    public const int FullTurn = 25736;

    private const int QuarterTurn = FullTurn / 4;
    private const int ThreeQuarterTurn = 19302;

    private static readonly int[] Sines = MakeSines();

    public static int Of(double value) => (int)(value * One);

    public static float ToFloat(int value) => value / (float)One;

    /// <summary>65536 times the sine.</summary>
    public static int Sin(int angle) => Sines[Wrap(angle)];

    /// <summary>65536 times the cosine.</summary>
    public static int Cos(int angle) => Sines[Wrap(angle + QuarterTurn)];

    /// <summary>The angle in 0 to <see cref="FullTurn"/> - 1.</summary>
    public static int Wrap(int angle)
    {
        angle %= FullTurn;
        return angle < 0 ? angle + FullTurn : angle;
    }

    /// <summary>The shorter way from one angle to another, negative when clockwise.</summary>
    public static int Turn(int from, int to)
    {
        var turn = Wrap(to - from);
        return turn > FullTurn / 2 ? turn - FullTurn : turn;
    }

    /// <summary>As the protocol writes it: 3π/2 + k/4096, in 0 to 2π.</summary>
    public static float FacingToFloat(int angle) => (float)(1.5 * Math.PI + (Math.Max(angle, 1) - ThreeQuarterTurn) / 4096.0);

    /// <summary>Direction of a vector.</summary>
    public static int Angle(int dx, int dy)
    {
        if (dx == 0 && dy == 0) return 0;
        var ax = (double)Math.Abs(dx);
        var ay = (double)Math.Abs(dy);
        var angle = ax >= ay ? ArcTangent(ay / ax) : Math.PI / 2 - ArcTangent(ax / ay);
        if (dx < 0) angle = Math.PI - angle;
        if (dy < 0) angle = 2 * Math.PI - angle;
        return Wrap((int)(angle * 4096));
    }

    public static int Distance(int dx, int dy) => (int)Math.Sqrt((double)((long)dx * dx + (long)dy * dy));

    // Hastings' polynomial for 0 to 1, error below 0.00002.
    private static double ArcTangent(double t)
    {
        var s = t * t;
        return t * (0.99997726 + s * (-0.33262347 + s * (0.19354346 + s * (-0.11643287 + s * (0.05265332 - s * 0.01172120)))));
    }

    private static int[] MakeSines()
    {
        var sines = new int[FullTurn];
        for (var i = 0; i < FullTurn; i++)
        {
            var half = i % (FullTurn / 2);
            var x = (half <= QuarterTurn ? half : FullTurn / 2 - half) / 4096.0;
            var s = x * x;
            var sine = x * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156))))));
            sines[i] = (int)(sine * 65536) * (i < FullTurn / 2 ? 1 : -1);
        }

        return sines;
    }
}
