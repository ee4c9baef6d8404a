using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Columns.Tests;

/// <summary>Observations that no game would send: any fields, any values, units that come, go, change, share a tag or have none.</summary>
internal sealed class ObservationFuzz(int seed)
{
    private static readonly float[] Floats =
    [
        0, -0f, 1, -1, 0.1f, 33.25f, 1 / 4096f, -7 / 4096f, 200.000244f, 4.712389f, 1.5707964f, 6.2831855f,
        1e-45f, -1e-45f, 262144.25f, 1e20f, -3e38f, float.MaxValue,
        float.NaN, BitConverter.UInt32BitsToSingle(0xFFC12345), float.PositiveInfinity, float.NegativeInfinity,
    ];

    private readonly Random _random = new(seed);
    private readonly MessageGenerator _generator = new(new Random(seed), withAny: false);
    private readonly WireShuffle _shuffle = new(new Random(seed));
    private readonly List<Unit> _units = [];
    private bool _hasGrids = true;
    private int _gridBytes = 64;

    /// <summary>The next observation. About every second one is written as no serializer does.</summary>
    public byte[] Next()
    {
        Change();
        var observation = Any();
        if (_random.Next(20) == 0) return observation.ToByteArray();
        observation.Observation ??= new Observation();
        observation.Observation.RawData ??= new ObservationRaw();
        observation.Observation.RawData.Units.Clear();
        if (_random.Next(15) > 0) observation.Observation.RawData.Units.AddRange(_units);
        observation.Observation.RawData.MapState = MapState();
        var bytes = observation.ToByteArray();
        return _random.Next(2) == 0 ? bytes : _shuffle.Apply(ResponseObservation.Descriptor, bytes);
    }

    private ResponseObservation Any() =>
        _random.Next(3) == 0
            ? (ResponseObservation)_generator.Make(ResponseObservation.Descriptor)
            : new ResponseObservation { Observation = new Observation { GameLoop = (uint)_random.Next(100) } };

    private void Change()
    {
        for (var i = _random.Next(6); i > 0; i--) _units.Add(NewUnit());
        if (_random.Next(12) == 0) _units.RemoveRange(0, _random.Next(_units.Count + 1));
        else if (_units.Count > 0 && _random.Next(3) == 0) _units.RemoveAt(_random.Next(_units.Count));
        for (var i = _units.Count / 3; i > 0; i--)
        {
            var unit = _units[_random.Next(_units.Count)];
            if (_random.Next(4) == 0) Walk(unit);
            else unit.MergeFrom(SomeFields());
            if (_random.Next(5) == 0) unit.Orders.Clear();
            if (_random.Next(5) == 0 && unit.BuffIds.Count > 0) unit.BuffIds.RemoveAt(0);
        }
        if (_random.Next(4) == 0) _random.Shuffle(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_units));
    }

    // Few tags, so that they come back and are shared; sometimes none.
    private Unit NewUnit()
    {
        var unit = SomeFields();
        if (_random.Next(8) == 0) unit.ClearTag();
        else unit.Tag = _random.Next(6) == 0 ? ulong.MaxValue - (ulong)_random.Next(3) : 0x1_0000_0001UL + ((ulong)_random.Next(40) << 18);
        return unit;
    }

    private Unit SomeFields()
    {
        var unit = (Unit)_generator.Make(Unit.Descriptor);
        unit.ClearTag();
        unit.Facing = Float();
        unit.Pos = new Point { X = Float(), Y = Float(), Z = Float() };
        foreach (var order in unit.Orders) order.Progress = Float();
        return unit;
    }

    private void Walk(Unit unit)
    {
        var (direction, speed) = (_random.NextDouble() * 6.28, _random.Next(700) / 4096.0);
        unit.Facing = (float)direction;
        unit.Pos ??= new Point();
        unit.Pos.X = (float)(Math.Round((unit.Pos.X + (Math.Cos(direction) * speed)) * 4096) / 4096);
        unit.Pos.Y = (float)(Math.Round((unit.Pos.Y + (Math.Sin(direction) * speed)) * 4096) / 4096);
    }

    private MapState? MapState()
    {
        if (_random.Next(10) == 0) _hasGrids = !_hasGrids;
        if (_random.Next(10) == 0) _gridBytes = _random.Next(300);
        if (!_hasGrids) return _random.Next(2) == 0 ? null : new MapState();
        var data = new byte[_gridBytes];
        for (var i = _random.Next(20); i > 0 && data.Length > 0; i--) data[_random.Next(data.Length)] = (byte)_random.Next(4);
        var state = new MapState { Visibility = new ImageData { BitsPerPixel = 8, Data = ByteString.CopyFrom(data) } };
        if (_random.Next(3) > 0) state.Creep = new ImageData { Size = new Size2DI { X = 4 } };
        if (_random.Next(3) > 0) (state.Creep ??= new ImageData()).Data = ByteString.CopyFrom(data, 0, data.Length / 8);
        return state;
    }

    private float Float() => _random.Next(3) switch
    {
        0 => Floats[_random.Next(Floats.Length)],
        1 => _random.Next(-1000, 1_000_000) / 4096f,
        _ => BitConverter.Int32BitsToSingle(_random.Next(int.MinValue, int.MaxValue)),
    };
}
