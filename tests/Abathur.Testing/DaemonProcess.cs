using System.Diagnostics;

namespace Abathur.Testing;

/// <summary>The real daemon as a child process, on free ports; it ends with the test.</summary>
public sealed class DaemonProcess : IDisposable
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);
    private readonly Process _process;
    private readonly Dictionary<string, string> _addresses;

    private DaemonProcess(Process process, Dictionary<string, string> addresses) => (_process, _addresses) = (process, addresses);

    /// <summary>The program: the Release build, or the one that ABATHUR_TEST_DAEMON names.</summary>
    public static string Program { get; } = Environment.GetEnvironmentVariable("ABATHUR_TEST_DAEMON") is { Length: > 0 } named
        ? named
        : Path.Combine(SharedData.RepositoryFolder, "artifacts", "bin", "Abathur.Sync", "release", "abathur-sync.dll");

    /// <summary><c>HOST:PORT</c> of the socket.</summary>
    public string Socket => _addresses["socket"];

    /// <summary>Its address on a transport, "socket" or "grpc", as the client prints it.</summary>
    public string Address(string transport) => $"{transport}://{_addresses[transport]}";

    /// <summary>Processor time of the daemon so far.</summary>
    public TimeSpan ProcessorTime
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    /// <summary>Starts a command that serves, and waits until it is ready.</summary>
    public static Task<DaemonProcess> StartAsync(params string[] arguments) => StartAsync(arguments, []);

    /// <summary>The same with variables of the environment.</summary>
    public static async Task<DaemonProcess> StartAsync(string[] arguments, IEnumerable<(string Name, string Value)> environment)
    {
        string[] names = ["--grpc-port", "--socket-port", "--http-port"];
        var ports = names.Except(arguments).SelectMany(name => new[] { name, "0" });
        var process = Start([.. arguments, .. ports, "--stop-with-parent"], environment);
        var ready = await process.StandardOutput.ReadLineAsync().WaitAsync(Deadline);
        if (ready is null || !ready.Contains("socket=", StringComparison.Ordinal))
            throw new InvalidOperationException($"the daemon did not start: {ready}{await process.StandardError.ReadToEndAsync()}");
        // What it writes later is not used: the pipes must not fill. On threads of their own, because reading a pipe blocks one, of which
        // the pool has as few as there are processors.
        foreach (var reader in new[] { process.StandardOutput, process.StandardError }) Discard(reader);
        var words = ready.Split(' ').Where(word => word.Contains('=')).Select(word => word.Split('=', 2));
        // Of a transport with several addresses the first is TCP.
        return new DaemonProcess(process, words.DistinctBy(pair => pair[0]).ToDictionary(pair => pair[0], pair => pair[1]));
    }

    /// <summary>Runs a command to its end.</summary>
    /// <exception cref="InvalidOperationException">It fails.</exception>
    public static async Task RunAsync(params string[] arguments)
    {
        using var process = Start(arguments, []);
        process.StandardInput.Close();
        var (output, error) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        await process.WaitForExitAsync();
        if (process.ExitCode != 0) throw new InvalidOperationException($"{arguments[0]} failed: {await error}{await output}");
    }

    /// <summary>Kills it: connections break at any point.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <summary>Tells it to end.</summary>
    public void Stop() => _process.StandardInput.Close();

    /// <summary>Waits until it has ended by itself.</summary>
    public Task WaitForExitAsync() => _process.WaitForExitAsync().WaitAsync(Deadline);

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
            if (!_process.WaitForExit(Deadline)) Kill();
        }
        _process.Dispose();
    }

    private static void Discard(StreamReader reader) => new Thread(() =>
    {
        try
        {
            while (reader.ReadLine() is not null)
            {
                // Not used.
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The test is over.
        }
    })
    { IsBackground = true, Name = "discards a daemon's output" }.Start();

    private static Process Start(string[] arguments, IEnumerable<(string Name, string Value)> environment)
    {
        var isDll = Program.EndsWith(".dll", StringComparison.Ordinal);
        string[] line = isDll ? [Program, .. arguments] : arguments;
        var info = new ProcessStartInfo(isDll ? "dotnet" : Program, line)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment) info.Environment[name] = value;
        return Process.Start(info)!;
    }
}
