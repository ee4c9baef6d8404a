using SC2APIProtocol;
using Xunit.Abstractions;

namespace Abathur.Synth.Tests;

/// <summary>Generated frames against the figures of real ones: fixed figures everywhere, the real data itself where it is at
/// hand.</summary>
public class RealFiguresTests(ITestOutputHelper output)
{
    // Fields whose presence depends on what the unit is doing.
    private static readonly string[] Passing =
    [
        "orders", "buff_ids", "engaged_target_tag", "passengers", "rally_targets", "buff_duration_remain", "buff_duration_max",
        "mineral_contents", "vespene_contents",
    ];

    [Fact]
    public void Skirmish_Figures_AreThoseOfRealMatches()
    {
        var figures = ObservationFigures.Of(Generated.Skirmish);
        output.WriteLine($"skirmish: {figures}");
        AssertBytesPerUnit(figures);
        Assert.InRange(figures.MinBytes, 35_000, 86_000);
        Assert.InRange(figures.MaxBytes, 35_000, 86_000);
        Assert.InRange(figures.GridBytes, 25_900, 74_000);
        Assert.InRange(figures.MinUnits, 200, 340);
        Assert.InRange(figures.MaxUnits, 200, 340);
        Assert.InRange(figures.Changed, 0.08, 0.25);
        AssertChanges(figures);
    }

    [Fact]
    public void Elite_LateFrames_AreThoseOfAnOldClient()
    {
        var figures = ObservationFigures.Of(Generated.Elite);
        output.WriteLine($"elite: {figures}");
        AssertBytesPerUnit(figures);
        Assert.InRange(figures.MinBytes, 133_000, 170_000);
        Assert.InRange(figures.MaxBytes, 133_000, 170_000);
        // An army of 200 supply on the move is at the upper end of what matches show.
        Assert.InRange(figures.Changed, 0.08, 0.30);
        AssertChanges(figures);
    }

    [SharedFact("observations")]
    public void RealFirstFrames_MeasuredTheSameWay_HaveTheBytesPerUnitOfGeneratedOnes()
    {
        var files = Directory.EnumerateFiles(SharedData.PathTo("observations"), "observation.binpb", SearchOption.AllDirectories);
        var real = ObservationFigures.Of(files.Select(File.ReadAllBytes), follow: false);
        var made = ObservationFigures.Of(Generated.Skirmish);
        output.WriteLine($"real: {real}");
        AssertClose(real, made, Alliance.Self, DisplayType.Visible, 8);
        AssertClose(real, made, Alliance.Enemy, DisplayType.Visible, 4);
        AssertClose(real, made, Alliance.Neutral, DisplayType.Visible, 2);
        AssertClose(real, made, Alliance.Neutral, DisplayType.Snapshot, 1);
        Assert.InRange(made.MinBytes, real.MinBytes, real.MaxBytes);
        Assert.InRange(made.MaxBytes, real.MinBytes, real.MaxBytes);
    }

    [SharedFact("sequences")]
    public void RealSequences_MeasuredTheSameWay_SpanTheFiguresOfGeneratedOnes()
    {
        var made = ObservationFigures.Of(Generated.Skirmish);
        var real = Sequences(400).Select(frames => ObservationFigures.Of(frames)).ToList();
        foreach (var figures in real) output.WriteLine($"real: {figures}");
        Assert.InRange(made.Changed, real.Min(static figures => figures.Changed), real.Max(static figures => figures.Changed) + 0.05);
        foreach (var field in new[] { "pos", "facing", "orders", "energy", "health" })
        {
            var low = real.Min(figures => figures.ChangedIn(field));
            var high = real.Max(figures => figures.ChangedIn(field));
            Assert.InRange(made.ChangedIn(field), low - 0.02, high + 0.02);
        }
    }

    [SharedFact("sequences")]
    public void Units_OfATypeThatRealFramesHave_HaveTheFieldsThatRealOnesHave()
    {
        var real = new Dictionary<(Alliance, DisplayType, uint), HashSet<string>>();
        var files = Directory.EnumerateFiles(SharedData.PathTo("observations"), "observation.binpb", SearchOption.AllDirectories);
        foreach (var frame in files.Select(File.ReadAllBytes).Concat(
            Sequences(600).SelectMany(static frames => frames.Where(static (_, i) => i % 40 == 0))))
        {
            foreach (var unit in Units(frame)) Known(real, unit).Add(FieldsOf(unit));
        }

        var compared = 0;
        var others = new SortedSet<string>();
        foreach (var unit in Generated.Skirmish.Concat(Generated.Elite).Where(static (_, i) => i % 20 == 0).SelectMany(Units))
        {
            if (!real.TryGetValue((unit.Alliance, unit.DisplayType, unit.UnitType), out var known)) continue;
            compared++;
            if (!known.Contains(FieldsOf(unit)))
                others.Add($"{unit.Alliance} {unit.DisplayType} {unit.UnitType}: {FieldsOf(unit)}; real: {string.Join(" | ", known)}");
        }

        output.WriteLine($"{compared} units compared");
        Assert.True(others.Count == 0, string.Join('\n', others));
        Assert.True(compared > 1000);
    }

    private static void AssertBytesPerUnit(ObservationFigures figures)
    {
        Assert.InRange(figures.BytesOf(Alliance.Self, DisplayType.Visible), 127, 133.5);
        Assert.InRange(figures.BytesOf(Alliance.Enemy, DisplayType.Visible), 107, 113);
        Assert.InRange(figures.BytesOf(Alliance.Neutral, DisplayType.Visible), 112, 115);
        Assert.InRange(figures.BytesOf(Alliance.Neutral, DisplayType.Snapshot), 54, 57);
    }

    // Expected: pos 75 %, facing 41 %, orders 12 %, energy 8 %, cooldown 7 %, health 6 %. Real sequences differ from each
    // other far more than these ranges allow.
    private static void AssertChanges(ObservationFigures figures)
    {
        Assert.InRange(figures.ChangedIn("pos"), 0.65, 0.85);
        Assert.InRange(figures.ChangedIn("facing"), 0.33, 0.49);
        Assert.InRange(figures.ChangedIn("orders"), 0.06, 0.18);
        Assert.InRange(figures.ChangedIn("energy"), 0.04, 0.12);
        Assert.InRange(figures.ChangedIn("weapon_cooldown"), 0.03, 0.12);
        Assert.InRange(figures.ChangedIn("health"), 0.03, 0.12);
    }

    private static void AssertClose(
        ObservationFigures real, ObservationFigures made, Alliance alliance, DisplayType display, double tolerance)
    {
        var difference = real.BytesOf(alliance, display) - made.BytesOf(alliance, display);
        Assert.True(Math.Abs(difference) <= tolerance, $"{alliance} {display}: real is {difference:f1} B more");
    }

    private static IEnumerable<List<byte[]>> Sequences(int frames) =>
        Directory.EnumerateFiles(SharedData.PathTo("sequences"), "*.obs.zst")
            .Where(static file => !file.Contains("step8", StringComparison.Ordinal))
            .Order()
            .Select(file => SequenceFile.Read(file, frames));

    private static IEnumerable<Unit> Units(byte[] frame) => ResponseObservation.Parser.ParseFrom(frame).Observation.RawData.Units;

    private static HashSet<string> Known(Dictionary<(Alliance, DisplayType, uint), HashSet<string>> real, Unit unit)
    {
        var key = (unit.Alliance, unit.DisplayType, unit.UnitType);
        if (!real.TryGetValue(key, out var known)) real[key] = known = [];
        return known;
    }

    private static string FieldsOf(Unit unit) => string.Join(
        ' ',
        Unit.Descriptor.Fields.InFieldNumberOrder().Where(field => !Passing.Contains(field.Name)
            && !field.IsRepeated
            && field.Accessor.HasValue(unit)).Select(static field => field.Name));
}
