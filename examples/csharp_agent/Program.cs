using Abathur.Client;
using SC2APIProtocol;

// Tells when an enemy drop leaves its base, and shows it on the dashboard's map and in the game.
//
//     abathur play MATCH.mcap --wait-agents 1
//     dotnet run --project examples/csharp_agent -- 127.0.0.1:22401
await new DropWatch().RunAsync(args.FirstOrDefault());

internal sealed class DropWatch : Agent
{
    private const uint OverlordTransport = 893, Medivac = 54, WarpPrism = 81, WarpPrismPhasing = 136, Red = 0xFF3030;
    private static readonly uint[] Transports = [OverlordTransport, Medivac, WarpPrism, WarpPrismPhasing];
    private const float BaseRadius = 30;
    private readonly HashSet<ulong> _told = [];
    private Point2D[] _bases = [];

    protected override async ValueTask OnStart() =>
        _bases = [.. (await Game.MatchAsync()).GameInfo?.StartRaw?.StartLocations ?? []];

    protected override async ValueTask OnStep(GameFrame frame)
    {
        var shapes = new List<Abathur.Sync.V1.Shape>();
        foreach (var unit in frame.Units.Where(Transports, Alliance.Enemy))
        {
            if (_bases.Any(start => unit.DistanceTo(start.X, start.Y) < BaseRadius)) continue;
            if (_told.Add(unit.Tag)) Console.WriteLine($"{frame.GameLoop / 22.4:f0} s: an enemy drop at ({unit.X:f0}, {unit.Y:f0})");
            shapes.Add(Draw.Circle(unit.X, unit.Y, 3, Red));
            shapes.Add(Draw.Text(unit.X, unit.Y, "drop", Red));
        }
        if (shapes.Count > 0) await DrawAsync(shapes);
    }

    protected override ValueTask OnUnitDestroyed(ulong unitTag)
    {
        if (_told.Remove(unitTag)) Console.WriteLine($"{Frame.GameLoop / 22.4:f0} s: the drop is down");
        return default;
    }
}
