namespace Abathur.Fuzz.Targets;

/// <summary>Has a defect on purpose, which tests let the fuzzer find. Not among those that are run by default.</summary>
internal sealed class PlantedTarget : IFuzzTarget
{
    public const string TargetName = "planted";

    public string Name => TargetName;

    public IReadOnlyList<byte[]> Tokens { get; } = ["zerg"u8.ToArray()];

    public int MaxBytes => 100;

    public IEnumerable<byte[]> Seeds(Random random) => [new byte[20]];

    public int Run(byte[] input)
    {
        var known = input.Zip("zer4"u8.ToArray()).TakeWhile(pair => pair.First == pair.Second).Count();
        Check.That(known < 4, "it starts with zer4");
        return known;
    }

    public void Dispose()
    {
    }
}
