namespace Abathur.Synth;

/// <summary>Moves units over open ground, with a limited turn rate and small corrections to avoid others.</summary>
internal sealed class Movement(World world)
{
    private const int MaxTurn = 2400;
    private const int WobblePerMille = 500;
    private const int Wobble = 160;

    /// <summary>Moves a unit towards a point for one game loop.</summary>
    /// <param name="unit">The unit.</param>
    /// <param name="x">The point, in 1/4096 cell.</param>
    /// <param name="y">The same for y.</param>
    /// <param name="reach">Distance that is near enough.</param>
    /// <param name="percent">Share of the full speed, for units that start and stop often.</param>
    /// <returns>True when the unit is within <paramref name="reach"/> of it.</returns>
    public bool Towards(SimUnit unit, int x, int y, int reach, int percent = 100)
    {
        int dx = x - unit.X, dy = y - unit.Y;
        var distance = Fixed.Distance(dx, dy);
        if (distance <= reach) return true;
        var speed = unit.Type.SpeedFixed * percent / 100;
        if (speed == 0) return true;

        var wanted = Fixed.Angle(dx, dy);
        var turn = Fixed.Turn(unit.Facing, wanted);
        var wide = Math.Abs(turn) > MaxTurn;
        if (distance < speed * 3) unit.Facing = wanted;
        else if (wide) unit.Facing = Fixed.Wrap(unit.Facing + Math.Clamp(turn, -MaxTurn, MaxTurn));
        else if (world.Random.Chance(WobblePerMille)) unit.Facing = Fixed.Wrap(wanted + world.Random.Between(-Wobble, Wobble));
        else if (Math.Abs(turn) > Wobble + 40) unit.Facing = wanted;

        var step = Math.Min(wide ? speed / 3 : speed, Math.Max(distance - reach, 1));
        Place(unit, unit.X + (int)((long)step * Fixed.Cos(unit.Facing) >> 16), unit.Y + (int)((long)step * Fixed.Sin(unit.Facing) >> 16));
        return distance - step <= reach;
    }

    /// <summary>Turns a unit without moving it.</summary>
    public static void Face(SimUnit unit, SimUnit other)
    {
        if (unit.Type.IsStructure) return;
        var turn = Fixed.Turn(unit.Facing, Fixed.Angle(other.X - unit.X, other.Y - unit.Y));
        if (Math.Abs(turn) > 300) unit.Facing = Fixed.Wrap(unit.Facing + Math.Clamp(turn, -MaxTurn, MaxTurn));
    }

    public void Place(SimUnit unit, int x, int y)
    {
        unit.X = MapLayout.Clamp(x, world.Map.Width);
        unit.Y = MapLayout.Clamp(y, world.Map.Height);
        world.UpdateHeight(unit);
    }
}
