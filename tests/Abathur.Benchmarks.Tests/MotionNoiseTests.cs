using SC2APIProtocol;

namespace Abathur.Benchmarks.Tests;

public class MotionNoiseTests
{
    private const float Grid = 4096;

    // Floats of the game's coordinates are exact to 1/65536 at least.
    private const float Exact = 1 / 65536f;

    private static readonly List<ResponseObservation> Recorded =
        [.. Skirmish.Observations().Take(300).Select(bytes => ResponseObservation.Parser.ParseFrom(bytes))];

    [Fact]
    public void Apply_Positions_ChangeOnlyWhereUnitsMoveAndByAtMostTheStatedShift()
    {
        var (moved, shifted) = (0, 0);
        foreach (var (before, original, noisy) in Units())
        {
            var isMoving = before is not null && (before.Pos.X != original.Pos.X || before.Pos.Y != original.Pos.Y);
            if (!isMoving)
            {
                Assert.Equal(original.Pos, noisy.Pos);
                Assert.Equal(original.Facing, noisy.Facing);
                continue;
            }
            moved++;
            Assert.InRange(MathF.Abs(noisy.Pos.X - original.Pos.X), 0, 8 / Grid + Exact);
            Assert.InRange(MathF.Abs(noisy.Pos.Y - original.Pos.Y), 0, 8 / Grid + Exact);
            Assert.InRange(MathF.Abs(noisy.Facing - original.Facing), 0, 16.5f / Grid);
            Assert.Equal(original.Pos.Z, noisy.Pos.Z);
            if (!noisy.Pos.Equals(original.Pos)) shifted++;
        }
        Assert.True(moved > 1000, $"only {moved} units moved");
        // One of the 17 × 17 shifts is (0, 0).
        Assert.True(shifted > 0.95 * moved, $"{shifted} of {moved} moving units were shifted");
    }

    [Fact]
    public void Apply_Health_ChangesOnlyInFightsAndStaysWithinWhatTheUnitCanHave()
    {
        var changed = 0;
        foreach (var (_, original, noisy) in Units())
        {
            if (noisy.Health == original.Health && noisy.Shield == original.Shield) continue;
            changed++;
            Assert.InRange(noisy.Health, 1 / Grid, Math.Max(original.HealthMax, original.Health));
            Assert.InRange(noisy.Shield, 0, Math.Max(original.ShieldMax, original.Shield));
        }
        Assert.True(changed > 100, $"only {changed} units changed");
    }

    [Fact]
    public void Apply_SameSeed_GivesTheSameFrames()
    {
        Assert.Equal(Noisy(seed: 3), Noisy(seed: 3));
        Assert.NotEqual(Noisy(seed: 3), Noisy(seed: 4));
    }

    [Fact]
    public void Command_Recording_KeepsEveryFrameAndItsGameLoop()
    {
        var path = Path.Combine(Directory.CreateTempSubdirectory().FullName, "noisy.mcap");
        try
        {
            using var error = new StringWriter();
            Assert.Equal(0, NoiseCommand.Invoke([Skirmish.Path, path], TextWriter.Null, error));
            using var reader = Abathur.Recordings.RecordingReader.Open(path);
            Assert.Equal(Skirmish.Observations().Count, reader.FrameCount);
            Assert.True(reader.Match.Simulated);
            Assert.Equal(Recorded[0].Observation.GameLoop, reader.FirstGameLoop);
            Assert.Equal("", error.ToString());
        }
        finally
        {
            Directory.Delete(Path.GetDirectoryName(path)!, recursive: true);
        }
    }

    [Theory]
    [InlineData(2, "noise: usage: noise IN OUT [SEED]")]
    [InlineData(2, "noise: usage: noise IN OUT [SEED]", "a.mcap", "b.mcap", "seven")]
    [InlineData(2, "noise: a.mcap is the input", "a.mcap", "a.mcap")]
    [InlineData(3, "noise: there is no file absent.mcap", "absent.mcap", "b.mcap")]
    public void Command_WrongUse_SaysWhy(int code, string message, params string[] arguments)
    {
        using var error = new StringWriter();
        Assert.Equal(code, NoiseCommand.Invoke(arguments, TextWriter.Null, error));
        Assert.StartsWith(message, error.ToString());
    }

    private static List<ResponseObservation> Noisy(int seed)
    {
        var noise = new MotionNoise(seed);
        return
        [
            .. Recorded.Select(frame =>
            {
                var copy = frame.Clone();
                noise.Apply(copy);
                return copy;
            }),
        ];
    }

    private static IEnumerable<(Unit? Before, Unit Original, Unit Noisy)> Units()
    {
        Dictionary<ulong, Unit> before = [];
        foreach (var (original, noisy) in Recorded.Zip(Noisy(seed: 1)))
        {
            var units = original.Observation.RawData.Units;
            Assert.Equal(units.Count, noisy.Observation.RawData.Units.Count);
            foreach (var (one, other) in units.Zip(noisy.Observation.RawData.Units))
                yield return (before.GetValueOrDefault(one.Tag), one, other);
            before = units.ToDictionary(unit => unit.Tag);
        }
    }
}
