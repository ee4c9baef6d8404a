using System.Diagnostics;
using System.Security.Cryptography;
using Google.Protobuf;
using SC2APIProtocol;
using Xunit.Abstractions;

namespace Abathur.Synth.Tests;

public class MatchGeneratorTests(ITestOutputHelper output)
{
    // A change of the generator changes these; the committed recording is then made again.
    private const string SkirmishHash = "7D073D8ABB501D28";
    private const string EliteHash = "F2526423B8401E19";

    [Fact]
    public void Skirmish_First300Frames_HaveThePinnedHash() =>
        Assert.Equal(SkirmishHash, Hash(Generated.Frames(SynthOptions.Skirmish, 0, 300)));

    [Fact]
    public void Elite_First2000Frames_HaveThePinnedHash() => Assert.Equal(EliteHash, Hash(Generated.Frames(SynthOptions.Elite, 0, 2000)));

    [Fact]
    public void SameOptions_GeneratedTwice_GiveTheSameBytes()
    {
        var options = SynthOptions.Skirmish with { Seed = 99, Steps = 200 };
        Assert.Equal(Hash(Generated.Frames(options)), Hash(Generated.Frames(options)));
    }

    [Fact]
    public void DifferentSeeds_GiveDifferentMatches()
    {
        var options = SynthOptions.Skirmish with { Steps = 40 };
        Assert.NotEqual(Hash(Generated.Frames(options)), Hash(Generated.Frames(options with { Seed = 8 })));
    }

    [Fact]
    public void Frames_ParsedAndWrittenByGoogleProtobuf_GiveTheSameBytes()
    {
        foreach (var frame in Generated.Skirmish.Concat(Generated.Elite.Where(static (_, i) => i % 10 == 0)))
        {
            var message = ResponseObservation.Parser.ParseFrom(frame);
            Assert.Equal(frame, message.ToByteArray());
        }
    }

    [Fact]
    public void Frames_InOrder_HaveConsecutiveGameLoops()
    {
        var loops = Parsed(Generated.Skirmish).Select(static frame => frame.Observation.GameLoop).ToArray();
        Assert.Equal(1344, loops.Length);
        for (var i = 0; i < loops.Length; i++) Assert.Equal(SynthOptions.Skirmish.FirstGameLoop + (uint)i, loops[i]);
    }

    [Fact]
    public void LoopStep_Eight_AdvancesEightGameLoopsPerFrame()
    {
        var loops = Parsed(
            Generated.Frames(SynthOptions.Elite with { Steps = 5, LoopStep = 8 })).Select(static frame => frame.Observation.GameLoop);
        Assert.Equal([0u, 8, 16, 24, 32], loops);
    }

    [Fact]
    public void Tags_OfOneFrame_AreUnique()
    {
        foreach (var frame in Parsed(Generated.Skirmish.Concat(Generated.Elite)))
        {
            var tags = frame.Observation.RawData.Units.Select(static unit => unit.Tag).ToList();
            Assert.Equal(tags.Count, tags.Distinct().Count());
        }
    }

    [Fact]
    public void Units_OfEveryFrame_LieInsideTheMapOnTheValueGrid()
    {
        foreach (var frame in Parsed(Generated.Skirmish))
        {
            var size = frame.Observation.RawData.MapState.Visibility.Size;
            foreach (var unit in frame.Observation.RawData.Units)
            {
                Assert.InRange(unit.Pos.X, 0, size.X);
                Assert.InRange(unit.Pos.Y, 0, size.Y);
                AssertOnGrid(unit.Pos.X, unit.Pos.Y, unit.Health, unit.Shield, unit.Energy, unit.WeaponCooldown);
                Assert.InRange(unit.Facing, 0, (float)(2 * Math.PI));
                if (unit.DisplayType == DisplayType.Visible)
                    Assert.Equal(Math.Round((unit.Facing - 1.5 * Math.PI) * 4096), (unit.Facing - 1.5 * Math.PI) * 4096, 0.1);
                Assert.True(unit.Health <= unit.HealthMax);
            }
        }
    }

    [Fact]
    public void DeadUnits_ReportedInTheEvent_AreInNoLaterFrameUntilTheTagIsUsedAnew()
    {
        ResponseObservation? before = null;
        var deaths = 0;
        foreach (var frame in Parsed(Generated.Skirmish))
        {
            var present = frame.Observation.RawData.Units.Select(static unit => unit.Tag).ToHashSet();
            var dead = frame.Observation.RawData.Event?.DeadUnits ?? [];
            deaths += dead.Count;
            Assert.DoesNotContain(dead, present.Contains);
            if (before is not null)
            {
                // A visible unit that disappears without a death is out of sight or in a geyser.
                var own = before.Observation.RawData.Units.Where(static unit => unit is { Owner: 1, UnitType: not 104 }
                    && unit.Passengers.Count == 0);
                Assert.All(
                    own,
                    unit => Assert.True(present.Contains(unit.Tag) || dead.Contains(unit.Tag), $"{unit.UnitType} {unit.Tag} vanished"));
            }

            before = frame;
        }

        Assert.InRange(deaths, 50, 1000);
    }

    [Fact]
    public void Skirmish_AsAWhole_ShowsEveryKindOfEvent()
    {
        var frames = Parsed(Generated.Skirmish).ToList();
        Assert.Contains(frames, static frame => frame.Chat.Count > 0);
        Assert.Contains(frames, static frame => frame.Actions.Count > 0);
        Assert.Contains(frames, static frame => frame.Observation.RawData.Effects.Count > 0);
        Assert.Contains(frames, static frame => frame.Observation.RawData.Units.Any(static unit => unit.Passengers.Count > 0));
        Assert.Contains(
            frames, static frame => frame.Observation.RawData.Units.Any(static unit => unit is { Owner: 1, BuildProgress: < 1 }));
        Assert.True(frames.SelectMany(static frame => frame.Observation.Alerts).Distinct().Count() >= 5);
        Assert.All(frames.SkipLast(1), static frame => Assert.Empty(frame.PlayerResult));
        Assert.Equal(2, frames[^1].PlayerResult.Count);
        Assert.True(frames[^1].Observation.Score.ScoreDetails.TotalDamageDealt.Life > 1000);
    }

    [Fact]
    public void GameInfoAndGameData_OfAPreset_DescribeTheMapAndEveryUnitType()
    {
        var generator = new MatchGenerator(SynthOptions.Skirmish);
        var raw = generator.GameInfo.StartRaw;
        Assert.Equal("Synthetic LE", generator.GameInfo.MapName);
        Assert.Equal((152, 152), (raw.MapSize.X, raw.MapSize.Y));
        Assert.Equal((1, 152 * 152 / 8), (raw.PathingGrid.BitsPerPixel, raw.PathingGrid.Data.Length));
        Assert.Equal((1, 152 * 152 / 8), (raw.PlacementGrid.BitsPerPixel, raw.PlacementGrid.Data.Length));
        Assert.Equal((8, 152 * 152), (raw.TerrainHeight.BitsPerPixel, raw.TerrainHeight.Data.Length));
        Assert.Single(raw.StartLocations);
        var known = generator.GameData.Units.Select(static unit => unit.UnitId).ToHashSet();
        var abilities = generator.GameData.Abilities.Select(static ability => ability.AbilityId).ToHashSet();
        foreach (var unit in Parsed(Generated.Skirmish).SelectMany(static frame => frame.Observation.RawData.Units))
        {
            Assert.Contains(unit.UnitType, known);
            Assert.All(unit.Orders, order => Assert.Contains(order.AbilityId, abilities));
        }
    }

    [Fact]
    public void ActionsAndEvents_OfAMatch_BelongToTheFrame()
    {
        var generator = new MatchGenerator(SynthOptions.Skirmish with { Steps = 400 });
        int actions = 0, enemyActions = 0;
        while (generator.Next())
        {
            actions += generator.ActionsOf(1).Actions.Count;
            enemyActions += generator.ActionsOf(2).Actions.Count;
            Assert.Equal(ResponseObservation.Parser.ParseFrom(generator.Observation.Span).Actions, generator.ActionsOf(1).Actions);
        }

        Assert.True(actions > 5 && enemyActions > 5);
        Assert.Equal(2, generator.Events.Single().MatchEnded.PlayerResult.Count);
        Assert.Equal(generator.GameLoop, generator.Events.Single().GameLoop);
    }

    [Theory]
    [InlineData(0, 152, 1)]
    [InlineData(10, 150, 1)]
    [InlineData(10, 152, 4)]
    public void Options_OutsideTheirLimits_AreRefused(int steps, int width, int creepBits)
    {
        var options = SynthOptions.Skirmish with { Steps = steps, MapWidth = width, CreepBitsPerPixel = creepBits };
        Assert.Throws<ArgumentOutOfRangeException>(() => new MatchGenerator(options));
    }

    [Fact]
    public void Elite_Speed_IsReported()
    {
        var generator = new MatchGenerator(SynthOptions.Elite);
        var clock = Stopwatch.StartNew();
        long bytes = 0;
        var frames = 0;
        for (; frames < 6000 && generator.Next(); frames++) bytes += generator.Observation.Length;
        output.WriteLine($"{frames / clock.Elapsed.TotalSeconds:f0} frames/s, {bytes / frames} bytes a frame, one core");
        Assert.Equal(6000, frames);
    }

    private static IEnumerable<ResponseObservation> Parsed(IEnumerable<byte[]> frames) =>
        frames.Select(ResponseObservation.Parser.ParseFrom);

    private static void AssertOnGrid(params ReadOnlySpan<float> values)
    {
        foreach (var value in values) Assert.Equal(MathF.Round(value * 4096), value * 4096);
    }

    private static string Hash(IEnumerable<byte[]> frames)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var frame in frames) hash.AppendData(frame);
        return Convert.ToHexString(hash.GetHashAndReset())[..16];
    }
}
