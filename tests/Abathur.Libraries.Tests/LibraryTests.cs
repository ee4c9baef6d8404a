using System.Reflection;
using PublicApiGenerator;

namespace Abathur.Tests;

/// <summary>What holds for every library.</summary>
public class LibraryTests
{
    private const string Prefix = "Abathur.";

    /// <summary>Namespaces of types that a generator wrote: they are named, without members.</summary>
    private static readonly string[] Generated = ["SC2APIProtocol", "Abathur.Sync.V1"];

    private static readonly ApiGeneratorOptions Surface = new()
    {
        IncludeAssemblyAttributes = false,
        DenyNamespacePrefixes = Generated,
        // What the compiler adds, which .NET 8 does not have.
        ExcludeAttributes = ["System.Runtime.CompilerServices.ParamCollectionAttribute"],
    };

    public static TheoryData<string> Libraries => new(Names);

    /// <summary>Those that have a folder beside this file and are built for this framework.</summary>
    private static List<string> Names { get; } =
    [
        .. Assembly.GetExecutingAssembly().GetReferencedAssemblies()
            .Select(each => each.Name!)
            .Where(each => each.StartsWith(Prefix, StringComparison.Ordinal) && Directory.Exists(Tests(each)))
            .Order(StringComparer.Ordinal),
    ];

    [Fact]
    public void EachLibrary_IsTested()
    {
        var libraries = Directory.EnumerateDirectories(Path.Combine(SharedData.RepositoryFolder, "libraries"))
            .Select(each => Path.GetFileName(each))
            .Order(StringComparer.Ordinal);
#if NET10_0_OR_GREATER
        Assert.Equal(libraries, Names);
#else
        Assert.Subset(libraries.ToHashSet(), Names.ToHashSet());
#endif
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void PublicSurface_IsTheApprovedOne(string library)
    {
        var assembly = Assembly.Load(library);
        var generated = assembly.GetExportedTypes().Where(each => !each.IsNested && Generated.Contains(each.Namespace));
        var surface = string.Concat(generated.Select(each => $"// generated: {each.FullName}\n").Order(StringComparer.Ordinal))
            + assembly.GeneratePublicApi(Surface).ReplaceLineEndings("\n") + "\n";
        var approved = Path.Combine(Tests(library), "PublicSurface.txt");
        if (File.Exists(approved) && surface == File.ReadAllText(approved).ReplaceLineEndings("\n")) return;
        var received = Path.ChangeExtension(approved, ".received.txt");
        File.WriteAllText(received, surface);
        Assert.Fail($"What {library} offers has changed. Compare {received} with {approved}; where the change is intended, replace the "
            + "second by the first.");
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Folders_UseEachOtherInOneDirectionOnly(string library)
    {
        var cycles = string.Join('\n', NamespaceReferences.Cycles(Assembly.Load(library)));
        Assert.True(cycles.Length == 0, cycles);
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Readme_Example_PrintsWhatTheReadmeSays(string library)
    {
        var example = ReadmeExample.From(Path.Combine(SharedData.RepositoryFolder, "libraries", library, "README.md"));
        using var folder = new TemporaryFolder();
        Assert.Equal(example.Output, example.Run(folder.Path));
        Assert.InRange(
            example.Code.Split('\n').Count(line => line.Trim().Length > 1 && !line.StartsWith("using ", StringComparison.Ordinal)), 1, 12);
    }

    [Theory]
    [InlineData("README.md")]
    [InlineData("libraries/Abathur.Client/README.md")]
    [InlineData("libraries/Abathur.Protocol/README.md")]
    public void Readme_Programs_CompileAsPrinted(string page) =>
        ReadmeExample.CompileAll(Path.Combine(SharedData.RepositoryFolder, page));

    private static string Tests(string library) => Path.Combine(
        SharedData.RepositoryFolder, "tests", "Abathur.Libraries.Tests", library[Prefix.Length..]);
}
