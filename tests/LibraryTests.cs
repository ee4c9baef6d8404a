using System.Reflection;

namespace Abathur.Tests;

/// <summary>What holds for every library. Compiled into the tests of each.</summary>
public class LibraryTests
{
    private static readonly string TestProject = Assembly.GetExecutingAssembly().GetName().Name!;
    private static readonly string Library = TestProject[..^".Tests".Length];

    [Fact]
    public void PublicSurface_IsTheApprovedOne()
    {
        var approved = Path.Combine(SharedData.RepositoryFolder, "tests", TestProject, "PublicSurface.txt");
        var surface = PublicSurface.Of(Assembly.Load(Library), type => type.Namespace is "SC2APIProtocol" or "Abathur.Sync.V1");
        if (File.Exists(approved) && surface == File.ReadAllText(approved).ReplaceLineEndings("\n")) return;
        var received = Path.ChangeExtension(approved, ".received.txt");
        File.WriteAllText(received, surface);
        Assert.Fail($"What {Library} offers has changed. Compare {received} with {approved}; where the change is intended, replace the "
            + "second by the first.");
    }

    [Fact]
    public void Folders_UseEachOtherInOneDirectionOnly()
    {
        var cycles = string.Join('\n', NamespaceReferences.Cycles(Assembly.Load(Library)));
        Assert.True(cycles.Length == 0, cycles);
    }

    [Fact]
    public void Readme_Example_PrintsWhatTheReadmeSays()
    {
        var example = ReadmeExample.From(Path.Combine(SharedData.RepositoryFolder, "libraries", Library, "README.md"));
        using var folder = new TemporaryFolder();
        Assert.Equal(example.Output, example.Run(folder.Path));
        Assert.InRange(
            example.Code.Split('\n').Count(line => line.Trim().Length > 1 && !line.StartsWith("using ", StringComparison.Ordinal)), 1, 12);
    }
}
