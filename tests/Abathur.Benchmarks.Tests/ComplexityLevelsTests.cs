using Abathur.Benchmarks.Codecs;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Tests;

[Trait(Kinds.Trait, Kinds.Benchmarks)]
public class ComplexityLevelsTests
{
    public static TheoryData<string> Names => [.. CodecCatalog.Names];

    [Theory]
    [InlineData(ComplexityLevel.Unit, 100, 160)]
    [InlineData(ComplexityLevel.Small, 9_000, 10_000)]
    [InlineData(ComplexityLevel.Middle, 50_000, 80_000)]
    public void Observation_Level_HasItsSize(ComplexityLevel level, int least, int most)
    {
        var bytes = ComplexityLevels.Observation(level);
        Assert.InRange(bytes.Length, least, most);
        Assert.NotEmpty(ResponseObservation.Parser.ParseFrom(bytes).Observation.RawData.Units);
    }

    // 230 operations of a stream go past its keyframe.
    [Theory]
    [MemberData(nameof(Names))]
    public void Benchmarks_EveryCodec_RunsEachOperation(string name)
    {
        var benchmarks = new CodecBenchmarks { Codec = name, Level = ComplexityLevel.Small };
        benchmarks.SetUp();
        var operations = CodecCatalog.StreamNames.Contains(name) ? 230 : 2;
        for (var i = 0; i < operations; i++) Assert.True(benchmarks.Encode() > 0);
        benchmarks.SetUp();
        for (var i = 0; i < operations; i++) Assert.NotNull(benchmarks.Decode());
        benchmarks.SetUp();
        for (var i = 0; i < operations; i++) Assert.NotEqual(0UL, benchmarks.DecodeAndTouch());
    }

    [Fact]
    public void Command_WrongUse_SaysHow()
    {
        using var error = new StringWriter();
        Assert.Equal(2, LevelsCommand.Invoke([], error));
        Assert.Equal("levels: usage: levels DIR", error.ToString().TrimEnd());
    }
}
