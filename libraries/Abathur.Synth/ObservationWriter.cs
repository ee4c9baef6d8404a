using Abathur.Protobuf.Wire;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Synth;

/// <summary>
/// Writes <c>SC2APIProtocol.ResponseObservation</c> in wire bytes, fields by number, as Google.Protobuf would. Snapshots come
/// first among the units, then what is visible; both keep their order from frame to frame.
/// </summary>
internal sealed class ObservationWriter(Simulation simulation)
{
    private readonly World _world = simulation.World;
    private readonly WireWriter _wire = new(capacity: 256 * 1024);
    private UnitWriter? _units;

    /// <summary>The frame; overwritten by the next call.</summary>
    public ReadOnlyMemory<byte> Written => _wire.WrittenMemory;

    /// <summary>Writes the frame of the current game loop.</summary>
    /// <param name="results">The result of the match in its last frame, else empty.</param>
    public void Write(IReadOnlyList<PlayerResult> results)
    {
        _units ??= new UnitWriter(_world, simulation.Commands, _wire);
        _wire.Clear();
        foreach (var action in simulation.Commands.Of(1)) WriteMessage(ResponseObservation.ActionsFieldNumber, action);
        var start = _wire.Begin(ResponseObservation.ObservationFieldNumber, 3);
        WriteObservation();
        _wire.End(start);
        foreach (var result in results) WriteMessage(ResponseObservation.PlayerResultFieldNumber, result);
        foreach (var chat in simulation.Commands.Chat) WriteMessage(ResponseObservation.ChatFieldNumber, chat);
    }

    private void WriteObservation()
    {
        var player = _world.Players[0];
        ScoreWriter.WriteCommon(_wire, player, _world);
        if (simulation.Commands.HasSelection) WriteAbilities();
        ScoreWriter.WriteScore(_wire, player, _world);
        var raw = _wire.Begin(Observation.RawDataFieldNumber, 3);
        WritePlayer(player);
        WriteUnits();
        WriteMap();
        WriteEvent();
        foreach (var effect in _world.Effects) WriteEffect(effect);
        _wire.End(raw);
        _wire.WriteInt64(Observation.GameLoopFieldNumber, _world.Loop);
        foreach (var alert in _world.Alerts) _wire.WriteInt64(Observation.AlertsFieldNumber, (int)alert);
    }

    private void WriteAbilities()
    {
        foreach (var (ability, point) in Abilities.OfArmy)
        {
            var start = _wire.Begin(Observation.AbilitiesFieldNumber);
            _wire.WriteUInt64(AvailableAbility.AbilityIdFieldNumber, ability);
            if (point) _wire.WriteBool(AvailableAbility.RequiresPointFieldNumber, true);
            _wire.End(start);
        }
    }

    private void WritePlayer(Player player)
    {
        var start = _wire.Begin(ObservationRaw.PlayerFieldNumber);
        var camera = _wire.Begin(PlayerRaw.CameraFieldNumber);
        _wire.WriteFloat(Point.XFieldNumber, simulation.Commands.CameraX / 128f);
        _wire.WriteFloat(Point.YFieldNumber, simulation.Commands.CameraY / 128f);
        _wire.End(camera);
        foreach (var upgrade in player.Upgrades) _wire.WriteInt64(PlayerRaw.UpgradeIdsFieldNumber, upgrade);
        _wire.End(start);
    }

    private void WriteUnits()
    {
        foreach (var ghost in _world.Ghosts) _units!.WriteSnapshot(ghost);
        foreach (var unit in _world.Units)
        {
            if (unit is { HasSnapshot: true, IsSeen: false }) _units!.WriteSnapshot(unit);
        }

        foreach (var unit in _world.Units)
        {
            if (unit is { IsSeen: true, IsInside: false }) _units!.WriteVisible(unit);
        }
    }

    private void WriteMap()
    {
        var wide = _world.Options.CreepBitsPerPixel == 8;
        var start = _wire.Begin(ObservationRaw.MapStateFieldNumber, 3);
        WriteImage(MapState.VisibilityFieldNumber, 8, simulation.Vision.Grid);
        WriteImage(MapState.CreepFieldNumber, wide ? 8 : 1, wide ? simulation.Creep.Bytes : simulation.Creep.Bits);
        _wire.End(start);
    }

    private void WriteImage(int field, int bits, byte[] data)
    {
        var start = _wire.Begin(field, 3);
        _wire.WriteInt64(ImageData.BitsPerPixelFieldNumber, bits);
        var size = _wire.Begin(ImageData.SizeFieldNumber);
        _wire.WriteInt64(Size2DI.XFieldNumber, _world.Map.Width);
        _wire.WriteInt64(Size2DI.YFieldNumber, _world.Map.Height);
        _wire.End(size);
        _wire.WriteBytes(ImageData.DataFieldNumber, data);
        _wire.End(start);
    }

    private void WriteEvent()
    {
        if (_world.Deaths.Count == 0) return;
        var start = _wire.Begin(ObservationRaw.EventFieldNumber);
        foreach (var tag in _world.Deaths) _wire.WriteUInt64(Event.DeadUnitsFieldNumber, tag);
        _wire.End(start);
    }

    private void WriteEffect(SpellEffect effect)
    {
        var start = _wire.Begin(ObservationRaw.EffectsFieldNumber);
        _wire.WriteUInt64(Effect.EffectIdFieldNumber, effect.Id);
        var pos = _wire.Begin(Effect.PosFieldNumber);
        _wire.WriteFloat(Point2D.XFieldNumber, Fixed.ToFloat(effect.X));
        _wire.WriteFloat(Point2D.YFieldNumber, Fixed.ToFloat(effect.Y));
        _wire.End(pos);
        _wire.WriteInt64(Effect.AllianceFieldNumber, (int)(effect.Owner == 1 ? Alliance.Self : Alliance.Enemy));
        _wire.WriteInt64(Effect.OwnerFieldNumber, effect.Owner);
        _wire.WriteFloat(Effect.RadiusFieldNumber, effect.Radius);
        _wire.End(start);
    }

    private void WriteMessage(int field, IMessage message) => _wire.WriteBytes(field, message.ToByteArray());
}
