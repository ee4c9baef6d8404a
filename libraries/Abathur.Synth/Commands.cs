using SC2APIProtocol;
using GameAction = SC2APIProtocol.Action;

namespace Abathur.Synth;

/// <summary>The actions of the players: unit commands, camera moves and chat, collected for one frame.</summary>
internal sealed class Commands(World world)
{
    private readonly List<GameAction>[] _actions = [[], []];
    private List<SimUnit> _selected = [];

    /// <summary>Center of player 1's camera, in 1/128 cell.</summary>
    public int CameraX { get; private set; }
    public int CameraY { get; private set; }

    /// <summary>Whether anything of player 1 is selected.</summary>
    public bool HasSelection => _selected.Exists(static unit => unit.IsAlive);

    public List<ChatReceived> Chat { get; } = [];

    /// <summary>Actions since the last frame.</summary>
    public IReadOnlyList<GameAction> Of(int playerId) => _actions[playerId - 1];

    public void Clear()
    {
        _actions[0].Clear();
        _actions[1].Clear();
        Chat.Clear();
    }

    public void Order(SimUnit unit, SimOrder order) => Order([unit], order);

    /// <summary>Records a command to a group; the caller updates the state of the units.</summary>
    public void Order(IReadOnlyList<SimUnit> units, SimOrder order)
    {
        var command = new ActionRawUnitCommand { AbilityId = (int)order.Ability };
        if (order.Target is { } target) command.TargetUnitTag = target.Tag;
        else if (order.HasPoint) command.TargetWorldSpacePos = new Point2D { X = Fixed.ToFloat(order.X), Y = Fixed.ToFloat(order.Y) };
        foreach (var unit in units) command.UnitTags.Add(unit.Tag);
        var player = world.PlayerOf(units[0]);
        player.Score.Actions++;
        _actions[player.Id - 1].Add(new GameAction { ActionRaw = new ActionRaw { UnitCommand = command }, GameLoop = (uint)world.Loop });
        if (player.Id == 1 && units.Count > 3) Select(units);
    }

    public void MoveCamera(int x, int y)
    {
        CameraX = x >> 5;
        CameraY = y >> 5;
        var center = new Point { X = CameraX / 128f, Y = CameraY / 128f, Z = 0 };
        var move = new ActionRawCameraMove { CenterWorldSpace = center };
        _actions[0].Add(new GameAction { ActionRaw = new ActionRaw { CameraMove = move }, GameLoop = (uint)world.Loop });
    }

    public void Say(int playerId, string message)
    {
        Chat.Add(new ChatReceived { PlayerId = (uint)playerId, Message = message });
        var chat = new ActionChat { Channel = ActionChat.Types.Channel.Broadcast, Message = message };
        _actions[playerId - 1].Add(new GameAction { ActionChat = chat, GameLoop = (uint)world.Loop });
    }

    /// <summary>Whether player 1's screen shows a point; about 30 by 20 cells, more of it above the center.</summary>
    public bool IsOnScreen(int x, int y)
    {
        int dx = (x >> 5) - CameraX, dy = (y >> 5) - CameraY;
        return dx is > -15 * 128 and < 15 * 128 && dy is > -9 * 128 and < 12 * 128;
    }

    private void Select(IReadOnlyList<SimUnit> units)
    {
        foreach (var unit in _selected) unit.IsSelected = false;
        _selected = [.. units];
        foreach (var unit in _selected) unit.IsSelected = true;
    }
}
