#!/usr/bin/env dotnet
#:property PublishAot=false
#:property TreatWarningsAsErrors=true

// Everything a developer runs: dotnet make.cs COMMAND. Needs the .NET SDK and Python 3.11 or newer, nothing else.
using System.Diagnostics;
using System.Formats.Tar;
using System.Globalization;
using System.IO.Compression;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using System.Xml.Linq;

const int Ok = 0, Failed = 1, Usage = 2, Interrupted = 130;

var make = new Make();
Console.CancelKeyPress += (_, press) =>
{
    // Children get the key press as well, and end by themselves.
    press.Cancel = true;
    make.IsInterrupted = true;
};
try
{
    var code = args switch
    {
        ["demo", .. var rest] => make.Demo(rest),
        ["test"] => make.Test(all: false),
        ["test", "--all"] => make.Test(all: true),
        ["setup"] => make.Setup(),
        ["bench", .. var rest] => make.Bench(rest),
        ["report", .. var rest] => make.Report(rest),
        ["fuzz", .. var rest] => make.Fuzz(rest),
        ["recordings"] => make.Recordings(),
        ["gamedata", .. var rest] => make.GameData(rest),
        ["protos"] => make.Protos(),
        ["docs"] => make.Docs(),
        ["pack", .. var rest] => make.Pack(rest),
        ["clean"] => Make.Clean(),
        [] or ["help" or "--help" or "-h"] => Make.Help(Console.Out, Ok),
        _ => Make.Help(Console.Error, Usage),
    };
    return make.IsInterrupted ? Interrupted : code;
}
catch (MakeException e)
{
    Console.Error.WriteLine($"make: {e.Message}");
    return make.IsInterrupted ? Interrupted : Failed;
}

/// <summary>A step failed; the message says which and why.</summary>
internal sealed class MakeException(string message) : Exception(message);

/// <summary>What a runner of tests said: how many passed, which failed, how many did not run or passed in a later try; its exit
/// code.</summary>
internal sealed record TestRun(int Passed, IReadOnlyList<string> Failed, int Skipped, int TriedAgain, int Code);

/// <summary>The commands.</summary>
internal sealed class Make
{
    private const string MinimumPython = "3.11";
    private const string Solution = "Abathur.sln";
    private const string DaemonProject = "Abathur.Sync";
    private const string Newest = "net10.0", Oldest = "net8.0";
    private const string BenchmarksProject = "benchmarks/Abathur.Benchmarks";
    private const string FuzzProject = "tests/Abathur.Fuzz";
    // Sets of the package's extras (pyproject.toml): what runs the daemon's clients, and what tests and measures them.
    private const string Runtime = "", Developer = "[dev]";
    // How often tests of time and memory run before they fail: what they measure depends on what else the machine does.
    private const int MeasuredTries = 3;
    private const string Measured = "measured";
    private const string TestScale = "ABATHUR_TEST_SCALE";
    private const string ProfileGuided = "DOTNET_TieredPGO";
    // Kinds of tests (traits of .NET's, markers of Python's) that `test` leaves to `test --all`: docs/contributing.md says why.
    private static readonly string[] KindsOfAll = ["benchmarks", "packages", "wine", "fuzzing", "matrix"];
    private const string TransportsBenchmark = "transports";
    private const string OperationsBenchmark = "operations";
    private const string MatchingBenchmark = "matching";
    private const string ProxyBenchmark = "proxy";
    private const string MatchesBenchmark = "matches";
    private const string RelayBenchmark = "relay";
    private const string SuccessiveBenchmark = "successive";
    private const string GamesBenchmark = "games";
    // All but the single operations, which BenchmarkDotNet runs, are Python programs. The first is the default.
    private static readonly string[] Benchmarks =
    [
        TransportsBenchmark, OperationsBenchmark, ProxyBenchmark, "streams", "churn", "dashboard", "client", "history", MatchesBenchmark,
        SuccessiveBenchmark, GamesBenchmark, RelayBenchmark, "dataset", "playback", "compact", "columns", "learn", "growth",
    ];
    private static readonly string Root = Path.GetDirectoryName(ThisFile())!;
    private static readonly string BenchmarkPrograms = Path.Combine(Root, "benchmarks", "python");
    private static readonly string Venv = Path.Combine(Root, ".venv");
    private static readonly string Daemon = Path.Combine(Root, "artifacts", "bin", "Abathur.Sync", "release", "abathur-sync.dll");
    // The same program as users get it. It starts with less work, and tests start hundreds of daemons.
    private static readonly string StandaloneDaemon = Path.Combine(
        Root, "artifacts", "publish", "tested", OperatingSystem.IsWindows() ? "abathur-sync.exe" : "abathur-sync");
    private static readonly string OperationBenchmarks = Path.Combine(
        Root, "artifacts", "bin", "Abathur.Benchmarks", "release", "Abathur.Benchmarks.dll");
    private static readonly string Fuzzer = Path.Combine(Root, "artifacts", "bin", "Abathur.Fuzz", "release", "Abathur.Fuzz.dll");
    // Optional, beside the checkout: recordings of real games, and Python packages for a machine without an index of them.
    private static readonly string Shared = Path.GetFullPath(Path.Combine(Root, "..", "shared"));
    private static readonly string Wheels = Path.Combine(Shared, "wheels");
    // Built by `pack`: python_agent/packaging/libzstd.py.
    private static readonly string LibZstd = Path.Combine(Root, "artifacts", "libzstd");
    // The compiled decoder of the Python package for this machine: python_agent/packaging/native.py.
    private static readonly string NativeLibrary = Path.Combine(Root, "artifacts", "native", "host");
    // Without the analyzers: Directory.Build.props.
    private static readonly string[] Quick = ["-p:Quick=true"];
    private static readonly string[] NotOurs = ["artifacts", ".venv", Path.Combine("benchmarks", "browser", "node_modules")];
    // The systems of users, as python_agent/packaging/hatch_build.py has them. The first two are tested, and made by default.
    private static readonly string[] Rids = ["linux-x64", "win-x64", "linux-arm64", "osx-arm64", "osx-x64"];
    private static readonly string PackArtifacts = Path.Combine(Root, "artifacts", "pack");
    // The documentation as a site: docfx.json.
    private static readonly string Site = Path.Combine(Root, "artifacts", "site");
    private static readonly string Sbom = Path.Combine(Root, "artifacts", "sbom", "abathur-sync.cdx.json");
    private readonly List<string> _failed = [];
    private int _passed, _skipped, _triedAgain;

    public bool IsInterrupted { get; set; }

    private static string Python => RuntimeInformation.IsOSPlatform(OSPlatform.Windows)
        ? Path.Combine(Venv, "Scripts", "python.exe")
        : Path.Combine(Venv, "bin", "python");

    public static int Help(TextWriter output, int code)
    {
        output.WriteLine("""
            usage: dotnet make.cs COMMAND

              demo [FILE] [--seconds N]   play a recording to two Python agents, with a live view (default: 30 s)
              test [--all]                checks, build, tests of what protects users, or all tests; closes with
                                          "N passed, N failed"
              setup                       build all projects, make .venv with the Python package and its tools
              bench [transports] [--quick | --scale S] [--output DIR]
                                          measure the transports with real agents, as the report does: half an hour
                                          (times S); results in benchmarks/local
              bench proxy [--quick] [--output DIR]
                                          measure what the proxy adds to a request, beside socat
              bench streams [--rounds N] [--times N] [--output DIR]
                                          measure how long a reader waits that joins a stream, or is back
              bench churn [--seconds N] [--rounds N] [--output DIR]
                                          measure what 200 agents that come and die cost one that stays
              bench history [--seconds N] [--rounds N] [--output DIR]
                                          measure the memory of the history, and what reading it costs another reader
              bench compact [--rounds N] [--output DIR]
                                          measure compact recordings: bytes beside zstd -19, writing, reading in Python
              bench columns [--rounds N] [--quick] [--output DIR]
                                          measure the compiled decoder of Python beside NumPy, protobuf and python-sc2
              bench learn [--torch PYTHON] [--rounds N] [--quick] [--output DIR]
                                          measure windows of recordings: orders, processes, PyTorch, beside reading alone
              bench playback [--seconds N] [--rounds N] [--output DIR]
                                          measure playback at full speed, beside a gRPC server that sends ready bytes
              bench dataset [--rounds N] [--matches N] [--frames N] [--output DIR]
                                          measure Parquet datasets of recordings: rows/s, bytes, memory, a Dask cluster
              bench growth [--quick] [--only TEXT] [--rounds N] [--output DIR]
                                          measure how costs grow with readers, sizes, rates, lengths and requests
              bench relay [--seconds N] [--rounds N] [--only TEXT] [--daemon FILE] [--output DIR]
                                          measure many matches and readers on NATS
              bench matches [--daemons N...] [--seconds N] [--rounds N] [--output DIR]
                                          measure several daemons on this machine
              bench successive [--matches N] [--output DIR]
                                          measure what matches leave behind that follow each other in one daemon
              bench games [--games N] [--seconds N] [--rounds N] [--output DIR]
                                          measure games at the same time on one daemon, beside as many daemons
              bench dashboard [--quick] [--output DIR]
                                          measure what the dashboard draws and costs, in Chromium
              bench client [FILE...] [--rounds N] [--output DIR]
                                          the C# client beside the Python client
              bench operations [--filter PATTERN]
                                          measure single operations with BenchmarkDotNet
              bench --filter GLOB [--recording FILE] [--frames N] [--json [FILE]]
                                          measure only the codecs and benchmarks whose name matches
              report [--quick | --scale S] [--only GLOB] [--output DIR]
                                          measure codecs and transports, write the page; about 100 minutes (times S,
                                          0.05 to 1), continues where it was interrupted; --quick: about 5 minutes
              fuzz [TARGET...] [--seconds N] [--seed N]
                                          mutated input for all that reads from outside, 60 s in all;
                                          findings in artifacts/fuzz, again with --replay FILE TARGET
              recordings                  make the committed recordings again
              gamedata [FILE]             regenerate gamedata/ from a real game's serialized ResponseData
                                          (default: ../shared/observations/game_data.binpb)
              protos                      generate the Python modules of protos/ again
              docs                        make the documentation as a site, in artifacts/site/html
              pack [RID...] [--output DIR]
                                          make what is given to users: for linux-x64 and win-x64 (or the RIDs named;
                                          linux-arm64, osx-arm64 and osx-x64 are untested) the daemon, and a wheel of
                                          the Python package with the daemon; the daemon as a .NET tool, the libraries
                                          as NuGet packages, a pure wheel, the source distribution, the documentation
                                          and the list of parts (SBOM); in artifacts/packages
              clean                       remove artifacts, .venv and caches
            """);
        return code;
    }

    public int Setup() => SetUp(Developer, Solution, analyze: true);

    public int Demo(string[] arguments)
    {
        var (file, seconds) = DemoArguments(arguments);
        if (!File.Exists(file))
            throw new MakeException($"there is no recording {file}; `dotnet make.cs recordings` makes the committed ones");
        Console.WriteLine("Setting up. The first time takes a minute or two.");
        SetUp(Runtime, DaemonProject);
        if (IsInterrupted) return 130;
        return Start(Python, ["-m", "abathur", "demo", file, "--seconds", seconds.ToString(CultureInfo.InvariantCulture)]);
    }

    public int Test(bool all)
    {
        // How often property tests run, beside what they run by themselves.
        if (Environment.GetEnvironmentVariable(TestScale) is null) Environment.SetEnvironmentVariable(TestScale, all ? "1" : "0.1");
        Step("build", () => Build(analyze: true, Solution, all ? "-p:AllFrameworks=true" : "-p:AllFrameworks=false"));
        // Blanks and lines only: the build has checked the rest, with warnings as errors.
        Step(
            "format",
            () => Run("dotnet", ["format", "whitespace", ".", "--folder", "--verify-no-changes", "--exclude", .. NotOurs], "format"));
        Step("Python environment", () => SetUpPython(Developer));
        Step("ruff check", () => Run(Python, ["-m", "ruff", "check", "."], "ruff check"));
        Step("ruff format", () => Run(Python, ["-m", "ruff", "format", "--check", "."], "ruff format"));
        Step("mypy", () => Run(Python, ["-m", "mypy"], "mypy"));
        // In a folder of its own, because the tests of the packages make the others again.
        Step("daemon for users", PublishTested);
        // Otherwise it is the Release build: `Publish` leaves none of an earlier run.
        if (File.Exists(StandaloneDaemon)) Environment.SetEnvironmentVariable("ABATHUR_TEST_DAEMON", StandaloneDaemon);
        // Code that is compiled first to be counted and then again is of no use to programs that live for a second, as most of the 1,600
        // daemons do that tests start. What is measured runs as users run it.
        Environment.SetEnvironmentVariable(ProfileGuided, "0");
        Tests(".NET tests", () => TestDotnet(Newest, Filter("Kind!={0}", "&", [Measured, .. all ? [] : KindsOfAll])));
        if (all) Tests(".NET tests on .NET 8's libraries", () => TestDotnet(Oldest, $"Kind!={Measured}"));
        // More processes than processors: many tests wait for what happens at the pace of the game.
        string[] processes = ["--numprocesses", $"{Environment.ProcessorCount + 1}"];
        Tests("Python tests", () => TestPython("pytest", Filter("not {0}", " and ", [Measured, .. all ? [] : KindsOfAll]), processes));
        Environment.SetEnvironmentVariable(ProfileGuided, null);
        // By themselves: what the others do to the machine is not to be measured.
        Tests("measured .NET tests", () => TestDotnet(Newest, $"Kind={Measured}", MeasuredTries));
        var notMeasured = all ? [] : KindsOfAll.Select(kind => $"not {kind}");
        Tests("measured Python tests", () => TestPython("pytest-measured", string.Join(" and ", notMeasured.Prepend(Measured))));
        Console.WriteLine();
        var skipped = _skipped > 0 ? $", {_skipped} skipped" : "";
        foreach (var name in _failed) Console.WriteLine($"failed: {name}");
        Console.WriteLine($"{_passed} passed, {_failed.Count} failed{skipped}{(_triedAgain > 0 ? $", {_triedAgain} tried again" : "")}");
        return _failed.Count == 0 && !IsInterrupted ? 0 : 1;
    }

    public int Bench(string[] arguments)
    {
        var unnamed = arguments.Any(each => each.Split('=')[0] == "--filter") ? MatchingBenchmark : Benchmarks[0];
        var (name, rest) = arguments is [var first, .. var others] && !first.StartsWith('-') ? (first, others) : (unnamed, arguments);
        if (name != unnamed && !Benchmarks.Contains(name))
            throw new MakeException($"there is no benchmark {name}; there are {string.Join(", ", Benchmarks)}");
        SetUp(Developer, BenchmarksProject);
        // Those of users: the program is what takes memory.
        if (name is MatchesBenchmark or RelayBenchmark or SuccessiveBenchmark or GamesBenchmark) PublishTested();
        if (IsInterrupted) return 130;
        if (name == OperationsBenchmark)
            return Start("dotnet", [OperationBenchmarks, "--artifacts", Path.Combine("benchmarks", "local"), .. rest]);
        // The transports are a part of the report, and are shown on its page.
        return name == TransportsBenchmark
            ? Start(Python, [Path.Combine(BenchmarkPrograms, "make_report.py"), "--only", "end to end", .. rest])
            : Start(Python, [Path.Combine(BenchmarkPrograms, $"{(name == ProxyBenchmark ? "proxy_delay" : name)}.py"), .. rest]);
    }

    public int Report(string[] arguments)
    {
        SetUp(Developer, BenchmarksProject);
        // Its part of NATS measures the program that users get; short forms have no such part.
        if (!IsInterrupted && !arguments.Any(each => each is "--quick" or "--page-only")) PublishTested();
        return IsInterrupted ? 130 : Start(Python, [Path.Combine(BenchmarkPrograms, "make_report.py"), .. arguments]);
    }

    public int Fuzz(string[] arguments)
    {
        SetUp(Developer, FuzzProject);
        return IsInterrupted ? 130 : Start("dotnet", [Fuzzer, "--python", Python, .. arguments]);
    }

    public int Recordings()
    {
        Timed("build", () => Build(analyze: false, DaemonProject));
        var file = Path.Combine("recordings", "skirmish.mcap");
        Run("dotnet", [Daemon, "synth", "--preset", "skirmish", "--force", "-o", file], "synth");
        return Start("dotnet", [Daemon, "info", file]);
    }

    public int GameData(string[] arguments)
    {
        if (arguments.Length > 1) throw new MakeException("gamedata takes one file");
        SetUpPython(Developer);
        var responseData = arguments is [var file] ? file : Path.Combine(Shared, "observations", "game_data.binpb");
        Run(Python, [Path.Combine("gamedata", "extract.py"), responseData, "gamedata"], "extraction of game data");
        Run(Python, [Path.Combine("gamedata", "make_ids.py")], "names of ids");
        Run(Python, [Path.Combine("gamedata", "make_names.py")], "names of the dashboard");
        return 0;
    }

    public int Protos()
    {
        SetUpPython(Developer);
        Run(Python, [Path.Combine("protos", "export_s2clientprotocol.py")], "export of s2clientprotocol");
        Run(Python, [Path.Combine("python_agent", "tools", "make_protos.py")], "protoc");
        Run(Python, [Path.Combine("python_agent", "tools", "make_blocking.py")], "blocking twin of the Python API");
        Run(Python, ["-m", "ruff", "format", "--quiet", Path.Combine("python_agent", "abathur")], "ruff format");
        return 0;
    }

    public int Pack(string[] arguments)
    {
        var output = Path.Combine(Root, "artifacts", "packages");
        var rids = new List<string>();
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--output")
                output = ++i < arguments.Length ? Path.GetFullPath(arguments[i]) : throw new MakeException("--output takes a folder");
            else if (arguments[i].StartsWith('-')) throw new MakeException($"pack has no option {arguments[i]}");
            else if (Rids.Contains(arguments[i])) rids.Add(arguments[i]);
            else throw new MakeException($"pack makes nothing for {arguments[i]}; it makes packages for {string.Join(", ", Rids)}");
        }
        Timed("Python environment", () => SetUpPython(Developer));
        Directory.CreateDirectory(output);
        Timed("list of parts", () => PackSbom(output));
        Timed("libzstd", () => Run(Python, [Path.Combine("python_agent", "packaging", "libzstd.py"), LibZstd], "libzstd"));
        if (rids is []) rids.AddRange(Rids[..2]);
        foreach (var rid in rids) Timed($"daemon for {rid}", () => PackDaemon(rid, output));
        Timed("NuGet packages", () => PackLibraries(output));
        foreach (var rid in rids) Timed($"wheel for {rid}", () => PackWheel(rid, output));
        Timed("source distribution and pure wheel", () => PackWheel(null, output));
        Timed("documentation", () =>
        {
            MakeSite();
            if (IsInterrupted) return;
            var archive = Path.Combine(output, $"abathur-docs-{Version()}.zip");
            File.Delete(archive);
            ZipFile.CreateFromDirectory(Path.Combine(Site, "html"), archive);
        });
        foreach (var file in Directory.EnumerateFiles(output).Order()) Console.WriteLine(file);
        return IsInterrupted ? 130 : 0;
    }

    public int Docs()
    {
        Timed("libraries", () => PackLibraries(Path.Combine(PackArtifacts, "packages")));
        Timed("documentation", MakeSite);
        Console.WriteLine(Path.Combine(Site, "html", "index.html"));
        return IsInterrupted ? 130 : 0;
    }

    private void PackLibraries(string output) => Run(
        "dotnet",
        // In a folder of its own: these name the commit, which the others do not.
        [
            "pack", Solution, "-c", "Release", "-p:Packing=true", $"-p:ArtifactsPath={PackArtifacts}", .. Quick, "--nologo", "-v", "quiet",
            "-o", output,
        ],
        "dotnet pack");

    /// <summary>Makes the site of docs and of the libraries that were built for packages. A link that leads nowhere is an error.</summary>
    private void MakeSite()
    {
        if (Directory.Exists(Site)) Directory.Delete(Site, recursive: true);
        RunTool("docfx", "docfx.json", "--warningsAsErrors", "--logLevel", "warning");
        if (IsInterrupted) return;
        // More than half of the site.
        foreach (var map in Directory.EnumerateFiles(Site, "*.map", SearchOption.AllDirectories)) File.Delete(map);
    }

    /// <summary>Lists the daemon's parts, as CycloneDX.</summary>
    private void PackSbom(string output)
    {
        RunTool(
            "dotnet-CycloneDX", Path.Combine(DaemonProject, $"{DaemonProject}.csproj"), "-o", Path.GetDirectoryName(Sbom)!, "-fn",
            Path.GetFileName(Sbom), "-F", "Json", "-sn", "abathur-sync", "-sv", Version());
        if (!IsInterrupted) File.Copy(Sbom, Path.Combine(output, $"abathur-sync-{Version()}.cdx.json"), overwrite: true);
    }

    /// <summary>Runs a tool of .config/dotnet-tools.json. What it says is shown only when it fails.</summary>
    private void RunTool(string name, params string[] arguments)
    {
        foreach (var command in new[] { new[] { "tool", "restore" }, ["tool", "run", name, "--", .. arguments] })
            RunQuietly(StartInfo("dotnet", command), name);
    }

    /// <summary>The Python package with the daemon for a system; without one: the source distribution, and a wheel that is made of
    /// it.</summary>
    private void PackWheel(string? rid, string output)
    {
        var info = StartInfo(Python, ["-m", "build", .. rid is null ? Array.Empty<string>() : ["--wheel"], "--outdir", output]);
        info.Environment["ABATHUR_WHEEL"] = rid ?? "none";
        // Made just now.
        if (rid is not null) info.Environment["ABATHUR_WHEEL_DAEMON"] = PublishedDaemon(rid);
        RunQuietly(info, "python -m build");
    }

    /// <summary>An archive, as is usual on the system, with the daemon, the sample recording, README and licences.</summary>
    private void PackDaemon(string rid, string output)
    {
        var folder = PublishedDaemon(rid);
        Publish(rid, folder);
        if (IsInterrupted) return;
        var files = Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories)
            .Select(file => (file, Path.GetRelativePath(folder, file).Replace('\\', '/')))
            .Concat(new[] { "README.md", "LICENSE", "CHANGELOG.md" }.Select(name => (Path.Combine(Root, name), name)))
            .Append((Sbom, Path.GetFileName(Sbom)))
            .Append((Path.Combine(Root, "recordings", "skirmish.mcap"), "skirmish.mcap"));
        var archive = Path.Combine(output, $"abathur-sync-{Version()}-{rid}");
        if (rid.StartsWith("win", StringComparison.Ordinal))
        {
            using var zip = new ZipArchive(File.Create(archive + ".zip"), ZipArchiveMode.Create);
            foreach (var (file, name) in files) zip.CreateEntryFromFile(file, name);
            return;
        }
        // Its programs are executable when they are taken out.
        using var tar = new TarWriter(new GZipStream(File.Create(archive + ".tar.gz"), CompressionLevel.Optimal));
        foreach (var (file, name) in files) tar.WriteEntry(file, name);
    }

    /// <summary>Also the wheel's: python_agent/packaging/hatch_build.py.</summary>
    private static string PublishedDaemon(string rid) => Path.Combine(Root, "artifacts", "publish", "daemon", rid);

    /// <summary>Makes the daemon that needs no .NET for a system, in a folder that has nothing else afterwards.</summary>
    private void Publish(string rid, string folder)
    {
        if (Directory.Exists(folder)) Directory.Delete(folder, recursive: true);
        Run(
            "dotnet",
            [
                // Quick, as the wheel's build (hatch_build.py): the libraries are compiled once for both.
                "publish", DaemonProject, "-c", "Release", "-r", rid, "-p:Standalone=true", .. Quick, "--nologo", "-v", "quiet",
                "-o", folder,
            ],
            $"publish for {rid}");
    }

    /// <summary>The same for this system, for tests and measurements, unless what it is made of is as it was.</summary>
    private void PublishTested()
    {
        var folder = Path.GetDirectoryName(StandaloneDaemon)!;
        var stamp = folder + ".sources";
        var sources = Digest(
            DaemonProject, "libraries", "protos", "gamedata", "Directory.Build.props", "Directory.Packages.props", "global.json");
        if (File.Exists(StandaloneDaemon) && File.Exists(stamp) && File.ReadAllText(stamp) == sources) return;
        Publish(RuntimeInformation.RuntimeIdentifier, folder);
        if (!IsInterrupted) File.WriteAllText(stamp, sources);
    }

    /// <summary>A digest of files, and of those in folders: names and bytes.</summary>
    private static string Digest(params string[] names)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var files = names.Select(name => Path.Combine(Root, name))
            .SelectMany(path => Directory.Exists(path) ? Directory.EnumerateFiles(path, "*", SearchOption.AllDirectories) : [path]);
        foreach (var file in files.Order(StringComparer.Ordinal))
        {
            hash.AppendData(Encoding.UTF8.GetBytes($"{Path.GetRelativePath(Root, file)}\n"));
            hash.AppendData(SHA256.HashData(File.ReadAllBytes(file)));
        }
        return Convert.ToHexString(hash.GetHashAndReset());
    }

    /// <summary>The one place where it stands.</summary>
    private static string Version() => XDocument.Load(Path.Combine(Root, "Directory.Build.props")).Descendants("Version").Single().Value;

    public static int Clean()
    {
        foreach (var folder in new[] { "artifacts", ".venv", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis" })
        {
            var path = Path.Combine(Root, folder);
            if (Directory.Exists(path)) Directory.Delete(path, recursive: true);
        }
        return 0;
    }

    private static (string File, int Seconds) DemoArguments(string[] arguments)
    {
        var (file, seconds) = (Path.Combine(Root, "recordings", "skirmish.mcap"), 30);
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--seconds")
            {
                if (++i == arguments.Length
                    || !int.TryParse(arguments[i], CultureInfo.InvariantCulture, out seconds)
                    || seconds is < 1 or > 86_400)
                {
                    throw new MakeException("--seconds takes a whole number from 1 to 86400");
                }
            }
            else if (arguments[i].StartsWith('-'))
            {
                throw new MakeException($"demo has no option {arguments[i]}");
            }
            else
            {
                file = Path.GetFullPath(arguments[i]);
            }
        }
        return (file, seconds);
    }

    /// <summary>Builds a project and makes the Python environment, at the same time: neither keeps two processors busy.</summary>
    private int SetUp(string extras, string project, bool analyze = false)
    {
        Timed("build, Python environment", () =>
        {
            var python = Task.Run(() => SetUpPython(extras));
            try
            {
                Build(analyze, project);
            }
            finally
            {
                python.GetAwaiter().GetResult();
            }
        });
        return 0;
    }

    /// <summary>Builds Release. What the build says is shown only when it fails.</summary>
    /// <param name="analyze">Whether warnings of the analyzers fail it. Where the tests were built, they always do
    /// (Directory.Build.props).</param>
    /// <param name="project">The project or solution.</param>
    /// <param name="options">More options of `dotnet build`.</param>
    private void Build(bool analyze, string project, params string[] options) => RunQuietly(
        StartInfo("dotnet", ["build", project, "-c", "Release", "--nologo", "-v", "quiet", .. analyze ? [] : Quick, .. options]), "build");

    /// <summary>Runs a program. What it prints to standard output is shown only when it fails.</summary>
    private void RunQuietly(ProcessStartInfo info, string what)
    {
        if (IsInterrupted) return;
        info.RedirectStandardOutput = true;
        using var process = Process.Start(info)!;
        var said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode == 0 || IsInterrupted) return;
        Console.Error.WriteLine(said);
        throw new MakeException($"{what} failed (exit code {process.ExitCode})");
    }

    /// <summary>Installs the package from this clone, with what a set of its extras asks for.</summary>
    private void SetUpPython(string extras)
    {
        if (!File.Exists(Python)) Run(FindPython(), ["-m", "venv", ".venv"], "python -m venv");
        // pip takes seconds even when there is nothing to do: skip it while what it would install is the same.
        var wanted = Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(Path.Combine(Root, "pyproject.toml")))) + Root;
        if (!IsInstalled(Developer) && !IsInstalled(extras))
        {
            Run(Python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", $".{extras}"], "pip install");
            File.WriteAllText(Stamp(extras), wanted);
        }
        Run(Python, [Path.Combine("python_agent", "packaging", "native.py"), NativeLibrary], "compiled decoder");

        string Stamp(string extras) => Path.Combine(Venv, $"installed{extras}");
        bool IsInstalled(string extras) => File.Exists(Stamp(extras)) && File.ReadAllText(Stamp(extras)) == wanted;
    }

    private static string FindPython()
    {
        foreach (var name in new[] { "python3", "python", "py" })
        {
            try
            {
                var info = new ProcessStartInfo(name, ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"])
                {
                    RedirectStandardError = true,
                    RedirectStandardOutput = true,
                };
                using var process = Process.Start(info)!;
                process.WaitForExit();
                if (process.ExitCode == 0) return name;
            }
            catch (System.ComponentModel.Win32Exception)
            {
                // Not on this machine under this name.
            }
        }
        throw new MakeException($"Python {MinimumPython} or newer with the venv module is needed (Debian: apt-get install python3-venv)");
    }

    /// <summary>Runs tests of all .NET test projects that are built for a framework.</summary>
    /// <param name="framework">The framework.</param>
    /// <param name="filter">Which tests: an expression over their traits.</param>
    /// <param name="tries">How often they run at most, until each has passed once.</param>
    private void TestDotnet(string framework, string filter, int tries = 1)
    {
        // What failed in each try; a test that passed in one of them has passed.
        HashSet<string>? failing = null;
        for (var left = tries; left > 0 && !IsInterrupted; left--)
        {
            var run = RunDotnet(framework, filter, isMeasured: tries > 1);
            failing = [.. run.Failed.Where(name => failing?.Contains(name) != false)];
            if (failing.Count > 0 && left > 1)
            {
                Console.WriteLine($"make: {string.Join(", ", failing)} failed: tried again");
                _triedAgain += failing.Count;
                continue;
            }
            var mended = run.Failed.Count - failing.Count;
            var code = failing.Count == 0 && mended > 0 ? 0 : run.Code;
            Count("dotnet test", run with { Passed = run.Passed + mended, Failed = [.. failing], Code = code });
            return;
        }
    }

    private static string Filter(string each, string separator, IEnumerable<string> kinds) =>
        string.Join(separator, kinds.Select(kind => string.Format(CultureInfo.InvariantCulture, each, kind)));

    private static TestRun RunDotnet(string framework, string filter, bool isMeasured)
    {
        // A project with one framework has no folder of its own for it.
        var assemblies = Directory.EnumerateDirectories(Path.Combine(Root, "artifacts", "bin"), "*.Tests")
            .SelectMany(folder => new[] { $"release_{framework}", framework == Newest ? "release" : "" }
                .Select(output => Path.Combine(folder, output, $"{Path.GetFileName(folder)}.dll")))
            .Where(File.Exists);
        var results = Path.Combine(Root, "artifacts", "test-results", "dotnet");
        if (Directory.Exists(results)) Directory.Delete(results, recursive: true);
        var code = Start(
            "dotnet",
            [
                "test", .. assemblies, "--nologo", "--filter", filter, "--logger", "trx", "--results-directory", results,
                // A test that hangs is named.
                "--blame-hang-timeout", "5m", "--blame-hang-dump-type", "none",
                // What is measured has the machine for itself.
                "--", $"RunConfiguration.MaxCpuCount={(isMeasured ? 1 : 0)}",
            ]);
        var files = Directory.Exists(results) ? Directory.EnumerateFiles(results, "*.trx").Select(XDocument.Load).ToList() : [];
        var elements = files.SelectMany(file => file.Descendants()).ToLookup(element => element.Name.LocalName);
        int Number(string attribute) => elements["Counters"].Sum(each => (int)each.Attribute(attribute)!);
        var failed = elements["UnitTestResult"].Where(each => (string?)each.Attribute("outcome") == "Failed")
            .Select(each => (string)each.Attribute("testName")!);
        return new TestRun(Number("passed"), [.. failed, .. NotEnded(results)], Number("total") - Number("executed"), 0, code);
    }

    /// <summary>Names of tests that ran when their process crashed, or was ended because one hung: results do not have them.</summary>
    private static IEnumerable<string> NotEnded(string results) => Directory.Exists(results)
        ? Directory.EnumerateFiles(results, "Sequence_*.xml", SearchOption.AllDirectories)
            .SelectMany(file => XDocument.Load(file).Descendants("Test"))
            .Where(test => (string?)test.Attribute("Completed") == "False")
            .Select(test => $"{(string?)test.Attribute("Name")} (not ended)")
        : [];

    private void TestPython(string name, string markers, params string[] options)
    {
        var results = Path.Combine(Root, "artifacts", "test-results", $"{name}.xml");
        var info = StartInfo(Python, ["-m", "pytest", "-q", "-m", markers, $"--junitxml={results}", .. options]);
        if (File.Exists(results)) File.Delete(results);
        using var process = Process.Start(info)!;
        process.WaitForExit();
        var suite = File.Exists(results) ? XDocument.Load(results).Descendants("testsuite").First() : null;
        int Number(string attribute) => (int?)suite?.Attribute(attribute) ?? 0;
        var failed = suite?.Elements("testcase").Where(each => each.Element("failure") is not null || each.Element("error") is not null)
            .Select(each => $"{(string?)each.Attribute("classname")}::{(string?)each.Attribute("name")}").ToList() ?? [];
        // Tests of time and memory are repeated by tests/system/support/harness.py, which notes how often.
        var triedAgain = suite?.Descendants("property").Where(each => (string?)each.Attribute("name") == "tried_again")
            .Sum(each => (int)each.Attribute("value")!);
        Count(name, new TestRun(
            Number("tests") - failed.Count - Number("skipped"), failed, Number("skipped"), triedAgain ?? 0, process.ExitCode));
    }

    /// <summary>Adds a runner's tests. A runner that fails without a failed test (it crashed, or ran none) counts as one failure.</summary>
    private void Count(string runner, TestRun run)
    {
        var crashed = run.Failed.Count == 0 && (run.Code != 0 || run.Passed == 0);
        _passed += run.Passed;
        _failed.AddRange(crashed ? [$"{runner} ended with code {run.Code} and {run.Passed} tests passed"] : run.Failed);
        _skipped += run.Skipped;
        _triedAgain += run.TriedAgain;
    }

    private void Step(string name, Action action)
    {
        if (IsInterrupted) return;
        Tests(name, () =>
        {
            try
            {
                action();
                _passed++;
            }
            catch (MakeException e)
            {
                Console.Error.WriteLine($"make: {e.Message}");
                _failed.Add(e.Message);
            }
        });
    }

    /// <summary>What counts by itself how many passed.</summary>
    private void Tests(string name, Action action)
    {
        if (IsInterrupted) return;
        Console.WriteLine($"== {name}");
        var watch = Stopwatch.StartNew();
        action();
        Console.WriteLine($"== {name}: {watch.Elapsed.TotalSeconds:F0} s");
    }

    /// <summary>Shows that a step runs, and then how long it took; on standard error, because a command may print JSON.</summary>
    private void Timed(string name, Action action)
    {
        if (IsInterrupted) return;
        var inPlace = !Console.IsErrorRedirected && Environment.GetEnvironmentVariable("TERM") != "dumb";
        Console.Error.Write($"{name} ...{(inPlace ? "" : Environment.NewLine)}");
        var watch = Stopwatch.StartNew();
        var end = "failed after";
        try
        {
            action();
            end = IsInterrupted ? "interrupted after" : "took";
        }
        finally
        {
            Console.Error.WriteLine(
                string.Create(CultureInfo.InvariantCulture, $"{(inPlace ? "\r" : "")}{name}: {end} {watch.Elapsed.TotalSeconds:0.0} s"));
        }
    }

    private void Run(string program, IEnumerable<string> arguments, string what)
    {
        if (IsInterrupted) return;
        var code = Start(program, arguments);
        if (code != 0) throw new MakeException($"{what} failed (exit code {code})");
    }

    private static int Start(string program, IEnumerable<string> arguments)
    {
        using var process = Process.Start(StartInfo(program, arguments))!;
        process.WaitForExit();
        return process.ExitCode;
    }

    private static ProcessStartInfo StartInfo(string program, IEnumerable<string> arguments)
    {
        var info = new ProcessStartInfo(program, arguments) { WorkingDirectory = Root };
        info.Environment["ABATHUR_SHARED"] = Shared;
        if (Directory.Exists(Wheels))
        {
            info.Environment["PIP_NO_INDEX"] = "1";
            info.Environment["PIP_FIND_LINKS"] = Wheels;
        }
        return info;
    }

    private static string ThisFile([CallerFilePath] string path = "") => path;
}
