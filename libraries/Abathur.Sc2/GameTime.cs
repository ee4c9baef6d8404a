namespace Abathur.Sc2;

/// <summary>Game loops as time: a recording's publish time is the game loop at 22.4 loops a second, in nanoseconds.</summary>
/// <remarks>
/// One loop is 10^9 / 22.4 = 312,500,000 / 7 ns. Both conversions round to the nearest, so that converting a loop to a time and
/// back returns every 32-bit loop unchanged.
/// </remarks>
public static class GameTime
{
    /// <summary>Game loops per second at the game's speed "faster".</summary>
    public const double LoopsPerSecond = 22.4;

    private const ulong Numerator = 312_500_000;
    private const ulong Denominator = 7;

    /// <summary>Nanoseconds from game loop 0 to this one, rounded to the nearest.</summary>
    public static ulong ToNanoseconds(uint gameLoop) => (gameLoop * Numerator + Denominator / 2) / Denominator;

    /// <summary>The game loop nearest to this time; <see cref="uint.MaxValue"/> for times beyond all loops.</summary>
    public static uint ToGameLoop(ulong nanoseconds) =>
        nanoseconds >= ToNanoseconds(uint.MaxValue)
            ? uint.MaxValue
            : (uint)((nanoseconds * Denominator + Numerator / 2) / Numerator);
}
