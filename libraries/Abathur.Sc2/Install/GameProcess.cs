using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Abathur.Sc2.Install;

/// <summary>A game process that was started here, and ends when this object is disposed.</summary>
public sealed class GameProcess : IAsyncDisposable
{
    private static readonly TimeSpan QuitTimeout = TimeSpan.FromSeconds(5);
    private readonly Process _process;
    private readonly string _temporaryFolder;

    private GameProcess(Process process, string temporaryFolder, int port) =>
        (_process, _temporaryFolder, Port) = (process, temporaryFolder, port);

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port { get; }

    /// <summary>Whether it has exited.</summary>
    public bool HasExited => _process.HasExited;

    /// <summary>Its exit code.</summary>
    public int ExitCode => _process.ExitCode;

    /// <summary>Starts the game on a free port. It does not answer immediately.</summary>
    /// <exception cref="GameException">It cannot be started.</exception>
    public static GameProcess Start(GameInstall install)
    {
        var port = FreePort();
        var temporary = Directory.CreateTempSubdirectory("abathur-sc2-").FullName;
        var start = new ProcessStartInfo(install.Executable)
        {
            WorkingDirectory = install.WorkingFolder,
            UseShellExecute = false,
            // Its output is discarded, because standard output belongs to this program.
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var argument in new[] { "-listen", "127.0.0.1", "-port", port.ToString(
            CultureInfo.InvariantCulture), "-dataDir", install.Root, "-tempDir", temporary, "-displayMode", "0" })
        {
            start.ArgumentList.Add(argument);
        }
        try
        {
            var process = Process.Start(start)!;
            process.OutputDataReceived += static (_, _) => { };
            process.ErrorDataReceived += static (_, _) => { };
            process.BeginOutputReadLine();
            process.BeginErrorReadLine();
            return new GameProcess(process, temporary, port);
        }
        catch (Exception e) when (e is Win32Exception or IOException or UnauthorizedAccessException)
        {
            Directory.Delete(temporary, recursive: true);
            throw new GameException($"{install.Executable} cannot be started: {e.Message}", e);
        }
    }

    /// <summary>Waits for it to quit, which was requested before, and kills it after a timeout.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await _process.WaitForExitAsync().WaitAsync(QuitTimeout).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync().ConfigureAwait(false);
        }
        _process.Dispose();
        try
        {
            Directory.Delete(_temporaryFolder, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The system removes temporary files later.
        }
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
