using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using Google.Protobuf;

namespace Abathur.Benchmarks.Match;

/// <summary>The machine and the versions that a result holds for.</summary>
internal static class MatchEnvironment
{
    /// <summary>The <c>environment</c> object of a result.</summary>
    public static JsonObject Describe(MatchClock clock) => new()
    {
        ["date"] = TimeProvider.System.GetUtcNow().ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture),
        ["commit"] = Commit(),
        ["cpu"] = Cpu(),
        ["cores"] = Environment.ProcessorCount,
        ["os"] = RuntimeInformation.OSDescription,
        ["load"] = new JsonArray([.. Load().Select(each => (JsonNode)each)]),
        ["runtimes"] = new JsonObject { [".NET"] = Environment.Version.ToString() },
        ["packages"] = new JsonObject
        {
            ["Google.Protobuf"] = PackageVersions.Of(typeof(MessageParser)),
            ["System.Text.Json"] = PackageVersions.Of(typeof(JsonSerializer)),
            ["System.Formats.Cbor"] = PackageVersions.Of(typeof(System.Formats.Cbor.CborWriter)),
        },
        ["settings"] = new JsonObject
        {
            ["garbage_collector"] = System.Runtime.GCSettings.IsServerGC
                ? "server"
                : $"workstation, {System.Runtime.GCSettings.LatencyMode}",
            ["configuration"] =
                typeof(MatchEnvironment).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()?.Configuration ?? "unknown",
        },
        ["clock"] = new JsonObject { ["resolution_ns"] = clock.ResolutionNs, ["read_ns"] = clock.ReadNs },
    };

    private static string Commit()
    {
        // The program lies in the clone that it was built from.
        var start = new ProcessStartInfo("git", ["describe", "--always", "--dirty", "--abbrev=40", "--match="])
        {
            WorkingDirectory = AppContext.BaseDirectory,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            using var git = Process.Start(start)!;
            var commit = git.StandardOutput.ReadToEnd().Trim();
            git.WaitForExit();
            return git.ExitCode == 0 ? commit : "unknown";
        }
        catch (Win32Exception)
        {
            return "unknown";
        }
    }

    private static string Cpu()
    {
        const string File = "/proc/cpuinfo";
        if (!System.IO.File.Exists(File))
            return Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER") ?? RuntimeInformation.ProcessArchitecture.ToString();
        var line = System.IO.File.ReadLines(File).FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal));
        return line?[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim() ?? RuntimeInformation.ProcessArchitecture.ToString();
    }

    // Only Linux has the file; elsewhere the list is empty.
    private static IEnumerable<double> Load()
    {
        const string File = "/proc/loadavg";
        return System.IO.File.Exists(File)
            ? System.IO.File.ReadAllText(File).Split(' ').Take(3).Select(each => double.Parse(each, CultureInfo.InvariantCulture))
            : [];
    }
}
