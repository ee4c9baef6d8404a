using System.Collections.Concurrent;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Matches;

/// <summary>
/// Uses the code from publishing to encoding once before the first subscription that needs it begins. The runtime loads and compiles code
/// at its first use, which takes longer than several frames of a game: a subscriber that keeps up would miss them. Thread-safe.
/// </summary>
internal static class FirstUse
{
    /// <summary>A keyframe, and one that depends on it.</summary>
    private const int Frames = 2;

    private static readonly ConcurrentDictionary<(PayloadFormat Format, bool IsMasked), Lazy<Task>> Uses = [];

    /// <summary>Completes when the code has been used, in this process.</summary>
    /// <param name="format">The format of payloads.</param>
    /// <param name="isMasked">Whether only some fields are kept.</param>
    public static Task OfAsync(PayloadFormat format, bool isMasked) =>
        Uses.GetOrAdd((format, isMasked), static key => new(() => Task.Run(() => PublishAsync(key.Format, key.IsMasked)))).Value;

    private static async Task PublishAsync(PayloadFormat format, bool isMasked)
    {
        using var run = new MatchRun(
            new HubOptions { HistoryBytes = 1024 * 1024 }, new MatchAbilities { Kind = SourceKind.Push }, TimeProvider.System);
        run.Begin(new Match { MatchId = "first use", GameData = new ResponseData() });
        using var subscription = run.Subscribe(new SubscriptionOptions
        {
            Policy = Policy.Every,
            Encoding = format.Encoding,
            Compression = format.Compression,
            CompressionLevel = format.Compression.Kind()?.DefaultLevel ?? 0,
            FieldMask = isMasked ? ["observation"] : [],
            BufferFrames = Frames,
            MaxFrames = Frames,
            Transport = "",
            Peer = "",
        });
        var sending = subscription!.SendAsync(new NoOutput(), CancellationToken.None);
        for (uint loop = 1; loop <= Frames; loop++) await run.PublishAsync(Rent(loop));
        await sending;
        await run.FinishAsync(SubscriptionEnd.Complete);
    }

    private static SharedFrame Rent(uint loop) =>
        SharedFrame.Rent(loop, FrameStamp.Now(TimeProvider.System), SharedBuffer.CopyOf(Sample(loop).ToByteArray()));

    /// <summary>An observation that has what is in most of them.</summary>
    private static ResponseObservation Sample(uint loop)
    {
        var raw = new ObservationRaw
        {
            Player = new PlayerRaw
            {
                Camera = new Point { X = loop },
                PowerSources = { new PowerSource { Pos = new Point(), Radius = 6.5f } },
            },
            MapState = new MapState { Visibility = Grid(8), Creep = Grid(1) },
            Event = new() { DeadUnits = { loop } },
            Effects = { new Effect { EffectId = 1, Pos = { new Point2D { X = loop } } } },
        };
        for (ulong tag = 1; tag <= 16; tag++) raw.Units.Add(Unit(tag, loop));
        return new ResponseObservation
        {
            Actions = { new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = new() { UnitTags = { 1 } } } } },
            Observation = new Observation
            {
                GameLoop = loop,
                PlayerCommon = new PlayerCommon { PlayerId = 1, Minerals = 50 * loop },
                Alerts = { Alert.TrainUnitComplete },
                Abilities = { new AvailableAbility { AbilityId = 1 } },
                Score = new Score { Score_ = (int)loop, ScoreDetails = new ScoreDetails { IdleProductionTime = loop } },
                RawData = raw,
            },
        };
    }

    private static Unit Unit(ulong tag, uint loop) => new()
    {
        DisplayType = DisplayType.Visible,
        Alliance = Alliance.Self,
        Tag = tag,
        UnitType = 48,
        Owner = 1,
        Pos = new Point { X = tag + loop, Y = tag, Z = 1 },
        Facing = loop,
        Radius = 0.5f,
        BuildProgress = 1,
        Cloak = CloakState.NotCloaked,
        BuffIds = { 1 },
        IsOnScreen = true,
        Health = 45,
        HealthMax = 45,
        WeaponCooldown = loop,
        Orders = { new UnitOrder { TargetUnitTag = tag }, new UnitOrder { AbilityId = 1, TargetWorldSpacePos = new Point() } },
        Passengers = { new PassengerUnit { Tag = tag + 100, UnitType = 48 } },
    };

    private static ImageData Grid(int bitsPerPixel) => new()
    {
        BitsPerPixel = bitsPerPixel,
        Size = new Size2DI { X = 8, Y = 8 },
        Data = ByteString.CopyFrom(new byte[8 * bitsPerPixel]),
    };

    private sealed class NoOutput : IFrameOutput
    {
        public bool WritePending() => false;

        public int WriteFrame(EncodedFrame frame, in DroppedFrames dropped) => frame.Payload.Length;

        public ValueTask<bool> FlushAsync(CancellationToken cancellationToken) => new(true);
    }
}
