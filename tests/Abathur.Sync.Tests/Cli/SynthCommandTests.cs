using Abathur.Sync.Cli;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Cli;

public sealed class SynthCommandTests : IDisposable
{
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"abathur-{Guid.NewGuid():n}.obs");

    public void Dispose() => File.Delete(_file);

    [Fact]
    public void Synth_WithThreeSteps_WritesThreeDelimitedObservations()
    {
        Assert.Equal(0, Run("--steps", "3", "-o", _file));
        using var stream = File.OpenRead(_file);
        var loops = new List<uint>();
        while (stream.Position < stream.Length) loops.Add(ResponseObservation.Parser.ParseDelimitedFrom(stream).Observation.GameLoop);
        Assert.Equal([8960u, 8961, 8962], loops);
    }

    [Fact]
    public void Synth_WithTheSameSeed_WritesTheSameFile()
    {
        Assert.Equal(0, Run("--preset", "elite", "--seed", "5", "--steps", "20", "-o", _file));
        var first = File.ReadAllBytes(_file);
        Assert.Equal(0, Run("--preset", "elite", "--seed", "5", "--steps", "20", "--force", "-o", _file));
        Assert.Equal(first, File.ReadAllBytes(_file));
    }

    [Theory]
    [InlineData("--preset", "huge")]
    [InlineData("--steps", "0")]
    [InlineData("--steps", "many")]
    [InlineData("--seed", "-1")]
    public void Synth_WithABadOption_FailsAndWritesNothing(string option, string value)
    {
        Assert.NotEqual(0, Run(option, value, "-o", _file));
        Assert.False(File.Exists(_file));
    }

    [Fact]
    public void Synth_IntoAMissingFolder_FailsWithOne() => Assert.Equal(1, Run("--steps", "1", "-o", Path.Combine(_file, "x.obs")));

    private static int Run(params string[] args) =>
        SynthCommand.Create().Parse(args).Invoke(new() { Error = TextWriter.Null, Output = TextWriter.Null });
}
