using System.Buffers;
using System.Diagnostics;
using Abathur.Client;
using Abathur.Columns;
using Abathur.Compression;
using Abathur.Recordings;
using Google.Protobuf;

namespace Abathur.Benchmarks.Clients;

/// <summary>Times what the C# client does with each frame of <c>columns+zstd-stream</c>: from the message to the columns of the units, and
/// to the events. One pass warms up.</summary>
internal sealed class ClientDecoding : IDisposable
{
    private const int KeyframeInterval = 224;
    private const int WindowBits = 20;
    private readonly List<byte[]> _messages = [];
    private readonly PayloadDecoder _payloads = new(64 * 1024 * 1024);
    private readonly FrameState _frame;
    private FrameMessage _message = new();
    private long _plainBytes;

    /// <param name="recording">MCAP file.</param>
    /// <param name="frames">Its last frames, so many.</param>
    public ClientDecoding(string recording, int frames)
    {
        _frame = new FrameState(new FrameContent(_payloads, new UnitEventTracker(() => StructureTypes.Of(null))));
        using var reader = RecordingReader.Open(recording);
        var skipped = Math.Max(0, reader.FrameCount - frames);
        var encoder = new ColumnsEncoder();
        using var compressor = StreamCompression.Zstd.Create(StreamCompression.Zstd.DefaultLevel);
        for (var i = 0L; reader.ReadNext(out var recorded); i++)
        {
            if (i >= skipped) _messages.Add(Message(recorded, (i - skipped) % KeyframeInterval == 0, encoder, compressor));
        }
    }

    /// <summary>Times every frame.</summary>
    public DecodeResult Run()
    {
        Pass([], []);
        var (decode, events) = (new double[_messages.Count], new double[_messages.Count]);
        Pass(decode, events);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Pass(decode, events);
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Array.Sort(decode);
        Array.Sort(events);
        return new DecodeResult(
            _messages.Count, _plainBytes / (double)_messages.Count, At(decode, 0.5), At(decode, 0.99), At(events, 0.5), At(events, 0.99),
            allocated / (double)_messages.Count);
    }

    /// <inheritdoc/>
    public void Dispose() => _payloads.Dispose();

    private byte[] Message(in RecordedObservation recorded, bool isKeyframe, ColumnsEncoder encoder, IStreamCompressor compressor)
    {
        var (plain, data) = (new ArrayBufferWriter<byte>(), new ArrayBufferWriter<byte>());
        if (isKeyframe) compressor.Restart(WindowBits);
        encoder.Encode(recorded.Payload.Span, isKeyframe, plain);
        compressor.Compress(plain.WrittenSpan, data);
        _plainBytes += recorded.Payload.Length;
        return new Sync.V1.Frame
        {
            MatchId = "match",
            Sequence = (ulong)_messages.Count + 1,
            GameLoop = recorded.GameLoop,
            Keyframe = isKeyframe,
            Encoding = Sync.V1.Encoding.Columns,
            Compression = Sync.V1.Compression.ZstdStream,
            Data = ByteString.CopyFrom(data.WrittenSpan),
            PlainBytes = (uint)plain.WrittenCount,
        }.ToByteArray();
    }

    private void Pass(double[] decode, double[] events)
    {
        for (var i = 0; i < _messages.Count; i++)
        {
            var started = Stopwatch.GetTimestamp();
            _message.Read(_messages[i]);
            _frame.Read(_message, "", 0, _messages[i].Length);
            ReadAll(new GameFrame(_frame).Units);
            var decoded = Stopwatch.GetTimestamp();
            _ = _frame.Events.Count;
            var found = Stopwatch.GetTimestamp();
            if (decode.Length == 0) continue;
            decode[i] = Stopwatch.GetElapsedTime(started, decoded).TotalMilliseconds;
            events[i] = Stopwatch.GetElapsedTime(decoded, found).TotalMilliseconds;
        }
    }

    /// <summary>Converts every column.</summary>
    private static void ReadAll(UnitColumns units)
    {
        _ = ClientCommand.Sum(units);
        _ = (units.Owner.Length, units.DisplayType.Length, units.Cloak.Length, units.Z.Length, units.Facing.Length, units.Radius.Length);
        _ = (units.BuildProgress.Length, units.DetectRange.Length, units.RadarRange.Length, units.HealthMax.Length);
        _ = (units.ShieldMax.Length, units.Energy.Length, units.EnergyMax.Length, units.WeaponCooldown.Length, units.AddOnTag.Length);
        _ = (units.MineralContents.Length, units.VespeneContents.Length, units.AssignedHarvesters.Length, units.IdealHarvesters.Length);
        _ = (units.CargoSpaceTaken.Length, units.CargoSpaceMax.Length, units.EngagedTargetTag.Length, units.IsFlying.Length);
        _ = (units.AttackUpgradeLevel.Length, units.ArmorUpgradeLevel.Length, units.ShieldUpgradeLevel.Length, units.IsBurrowed.Length);
        _ = (units.IsHallucination.Length, units.IsOnScreen.Length, units.IsSelected.Length, units.IsBlip.Length, units.IsPowered.Length);
        _ = (units.IsActive.Length, units.BuffDurationRemain.Length, units.BuffDurationMax.Length, units.Orders.AbilityId.Length);
        _ = (units.Orders.TargetX.Length, units.Orders.TargetY.Length, units.Orders.TargetUnitTag.Length, units.Buffs.BuffId.Length);
    }

    private static double At(double[] sorted, double quantile) => sorted[(int)(quantile * (sorted.Length - 1))];
}
