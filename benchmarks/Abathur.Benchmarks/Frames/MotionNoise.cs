using SC2APIProtocol;

namespace Abathur.Benchmarks;

/// <summary>
/// Makes the motion and the fights of a recording noisier. In the sequences that are rebuilt from replays both are modelled; what encodings
/// gain from a model is what they lose on these frames.
/// </summary>
/// <remarks>
/// A unit that moved since the frame before is shifted by up to ±<see cref="MaxShift"/>/4096 in x and in y, and turned by up to
/// ±<see cref="MaxTurn"/>/4096, at random and in each frame. A unit whose health or shield changed is in a fight for
/// <see cref="FightLoops"/> loops: its health and its shield change in each of them, by up to ±<see cref="MaxDamage"/>/4096, within what it
/// can have. Values stay on the game's grids.
/// </remarks>
internal sealed class MotionNoise(int seed)
{
    private const int Grid = 4096, MaxShift = 8, MaxTurn = 16, MaxDamage = 4096, FightLoops = 45;
    private const float FacingOrigin = 3 * MathF.PI / 2;
    private readonly Random _random = new(seed);
    private Dictionary<ulong, State> _before = [];

    /// <summary>Changes the next frame of the match.</summary>
    /// <returns>Units that were changed.</returns>
    public int Apply(ResponseObservation frame)
    {
        if (frame.Observation?.RawData is not { } raw) return 0;
        var loop = frame.Observation.GameLoop;
        var changed = 0;
        var now = new Dictionary<ulong, State>(raw.Units.Count);
        foreach (var unit in raw.Units)
        {
            var before = _before.GetValueOrDefault(unit.Tag);
            var (isMoving, isHurt) = before is null
                ? (false, false)
                : (unit.Pos is { } pos && (pos.X != before.X || pos.Y != before.Y),
                    unit.Health != before.Health || unit.Shield != before.Shield);
            var state = new State(
                unit.Pos?.X ?? 0, unit.Pos?.Y ?? 0, unit.Health, unit.Shield, isHurt ? loop + FightLoops : before?.FightsUntil ?? 0);
            now[unit.Tag] = state;
            if (isMoving) Shift(unit);
            var isFighting = loop < state.FightsUntil;
            if (isFighting) Hurt(unit);
            if (isMoving || isFighting) changed++;
        }
        _before = now;
        return changed;
    }

    private void Shift(Unit unit)
    {
        unit.Pos.X += _random.Next(-MaxShift, MaxShift + 1) / (float)Grid;
        unit.Pos.Y += _random.Next(-MaxShift, MaxShift + 1) / (float)Grid;
        if (!unit.HasFacing) return;
        var steps = MathF.Round((unit.Facing - FacingOrigin) * Grid) + _random.Next(-MaxTurn, MaxTurn + 1);
        unit.Facing = FacingOrigin + steps / Grid;
    }

    private void Hurt(Unit unit)
    {
        if (unit.HasHealth && unit.Health > 0) unit.Health = Changed(unit.Health, unit.HealthMax);
        if (unit.HasShield && unit.Shield > 0) unit.Shield = Changed(unit.Shield, unit.ShieldMax);
    }

    private float Changed(float value, float most) =>
        Math.Clamp(value + _random.Next(-MaxDamage, MaxDamage + 1) / (float)Grid, 1f / Grid, Math.Max(most, value));

    private sealed record State(float X, float Y, float Health, float Shield, uint FightsUntil);
}
