namespace Abathur.Synth;

/// <summary>Player 1's camera follows the action, and both players chat.</summary>
internal sealed class Spectator(World world, Commands commands)
{
    private static readonly (int AtLoop, int PlayerId, string Text)[] Talk =
    [
        (22, 1, "gl hf"), (45, 2, "glhf"), (430, 2, "nice engage"), (455, 1, "ty"), (
            980, 1, "brb in your natural"), (1130, 2, "come and see"),
    ];

    private int _first = -1;
    private int _nextMove;

    /// <summary>The first frame is now.</summary>
    public void Begin()
    {
        _first = world.Loop;
        _nextMove = _first + 30;
    }

    public void Step()
    {
        foreach (var (atLoop, playerId, text) in Talk)
        {
            if (_first >= 0 && world.Loop - _first == atLoop) commands.Say(playerId, text);
        }

        if (_first < 0 || world.Loop < _nextMove) return;
        _nextMove = world.Loop + world.Random.Between(40, 220);
        if (Interesting() is { } unit) commands.MoveCamera(unit.X, unit.Y);
    }

    private SimUnit? Interesting()
    {
        var own = world.Units.FindAll(static unit => unit.Owner == 1 && !unit.IsInside);
        if (own.Count == 0) return null;
        var fighting = own.FindAll(unit => world.Loop - unit.LastFight < 24);
        var choice = fighting.Count > 0 && world.Random.Chance(700) ? fighting : own;
        return choice[world.Random.Below(choice.Count)];
    }
}
