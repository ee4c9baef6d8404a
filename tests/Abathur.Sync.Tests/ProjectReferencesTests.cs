using System.Text.RegularExpressions;
using System.Xml.Linq;
using Abathur.Sync.Hosting;

namespace Abathur.Sync.Tests;

/// <summary>The layout of the repository: libraries under the daemon, references downward only.</summary>
public partial class ProjectReferencesTests
{
    private static readonly string Libraries = Path.Combine(SharedData.RepositoryFolder, "libraries");

    /// <summary>What each library may reference of the others; all that it does not name, and the daemon, it may not.</summary>
    private static readonly Dictionary<string, string[]> Allowed = new()
    {
        ["Abathur.Client"] = ["Abathur.Columns", "Abathur.Compression", "Abathur.Protocol", "Abathur.Sc2"],
        ["Abathur.Client.Nats"] = ["Abathur.Client"],
        ["Abathur.Client.Testing"] = ["Abathur.Client", "Abathur.Recordings"],
        ["Abathur.Compression"] = [],
        ["Abathur.Protobuf"] = [],
        ["Abathur.Mcap"] = ["Abathur.Compression"],
        ["Abathur.Columns"] = ["Abathur.Protobuf"],
        ["Abathur.Emulator"] = ["Abathur.Recordings"],
        ["Abathur.Sc2"] = ["Abathur.Protobuf"],
        ["Abathur.Protocol"] = ["Abathur.Sc2"],
        ["Abathur.Synth"] = ["Abathur.Protocol", "Abathur.Sc2"],
        ["Abathur.Recordings"] = ["Abathur.Columns", "Abathur.Compression", "Abathur.Mcap", "Abathur.Protocol", "Abathur.Sc2"],
    };

    /// <summary>Tests, benchmarks and the fuzzer may see what is internal. Libraries may not.</summary>
    private static readonly string[] Insiders = ["Abathur.Benchmarks", "Abathur.Fuzz", "Abathur.Libraries.Tests"];

    [Fact]
    public void Libraries_ReferenceWhatIsBelowThemOnly()
    {
        Assert.Equal(Allowed.Keys.Order(), Directory.GetDirectories(Libraries).Select(Path.GetFileName).Order());
        foreach (var (library, allowed) in Allowed)
        {
            var references = Items(Project(library), "ProjectReference").Select(
                each => Path.GetFileNameWithoutExtension(each.Replace('\\', '/')));
            Assert.Empty(references.Except(allowed));
        }
    }

    [Fact]
    public void Libraries_ShowTheirInternalsToNoOtherLibrary()
    {
        foreach (var file in Allowed.Keys.Select(Project).Append(Path.Combine(Libraries, "Directory.Build.props")))
            Assert.Empty(Items(file, "InternalsVisibleTo").Except(Insiders));
    }

    [Fact]
    public void Daemon_FoldersUseEachOtherInOneDirectionOnly()
    {
        var cycles = string.Join('\n', NamespaceReferences.Cycles(typeof(Daemon).Assembly));
        Assert.True(cycles.Length == 0, cycles);
    }

    [Fact]
    public void Libraries_FoldersAreNamespaces()
    {
        foreach (var file in Directory.EnumerateFiles(Libraries, "*.cs", SearchOption.AllDirectories))
        {
            var expected = Path.GetDirectoryName(Path.GetRelativePath(Libraries, file))!.Replace(Path.DirectorySeparatorChar, '.');
            Assert.Equal((file, expected), (file, Namespace().Match(File.ReadAllText(file)).Groups[1].Value));
        }
    }

    [Fact]
    public void Libraries_NeitherWriteToTheConsoleNorReadCommandLines()
    {
        foreach (var file in Directory.EnumerateFiles(Libraries, "*.cs", SearchOption.AllDirectories).Where(file => !StartsDaemon(file)))
            Assert.False(ConsoleOrCommandLine().IsMatch(File.ReadAllText(file)), file);
    }

    /// <summary>Abathur.Client.Testing runs the daemon's program, whose options it has to name.</summary>
    private static bool StartsDaemon(string file) =>
        Path.GetFileName(file) is "DaemonProgram.cs" or "EmulatedGameOptions.cs"
        && Path.GetFileName(Path.GetDirectoryName(file)) == "Abathur.Client.Testing";

    private static string Project(string library) => Path.Combine(Libraries, library, library + ".csproj");

    private static IEnumerable<string> Items(string project, string name) =>
        XDocument.Load(project).Descendants(name).Select(item => item.Attribute("Include")!.Value);

    [GeneratedRegex(@"^namespace ([\w.]+);", RegexOptions.Multiline)]
    private static partial Regex Namespace();

    [GeneratedRegex(@"\bConsole\.|System\.CommandLine|GetCommandLineArgs|abathur-sync|""[^""\n]*--[a-z]")]
    private static partial Regex ConsoleOrCommandLine();
}
