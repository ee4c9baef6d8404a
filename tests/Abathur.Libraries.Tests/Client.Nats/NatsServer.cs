using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Abathur.Client.Nats.Tests;

/// <summary>A real NATS server with JetStream, on a free port; it ends with the test.</summary>
public sealed class NatsServer : IDisposable
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);
    private readonly TemporaryFolder _folder = new();
    private readonly string _configuration;
    private Process _process;
    private bool _isKilled;

    private NatsServer(string options)
    {
        using (var free = new TcpListener(IPAddress.Loopback, 0))
        {
            free.Start();
            Port = ((IPEndPoint)free.LocalEndpoint).Port;
        }
        _configuration = Path.Combine(_folder.Path, "nats.conf");
        var store = Path.Combine(_folder.Path, "js").Replace('\\', '/');
        File.WriteAllText(_configuration, $"listen: 127.0.0.1:{Port}\njetstream {{ store_dir: \"{store}\" }}\n{options}");
        _process = Start();
    }

    /// <summary>The program; null: it is not installed.</summary>
    public static string? Program { get; } = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
        .Select(folder => Path.Combine(folder, OperatingSystem.IsWindows() ? "nats-server.exe" : "nats-server"))
        .FirstOrDefault(File.Exists);

    public int Port { get; }

    /// <summary>The address of a match on it.</summary>
    public string Match(string login = "") => $"nats://{login}127.0.0.1:{Port}/m";

    /// <summary>Starts a server, and waits until it accepts connections.</summary>
    /// <param name="options">More lines of its configuration.</param>
    public static NatsServer Run(string options = "") => new(options);

    /// <summary>Kills it, and starts it again at the same port, with what it has stored.</summary>
    public void Restart()
    {
        Kill();
        _process = Start();
        _isKilled = false;
    }

    public void Kill()
    {
        if (_isKilled) return;
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _isKilled = true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Kill();
        _folder.Dispose();
    }

    private Process Start()
    {
        var process = Process.Start(new ProcessStartInfo(Program!, ["-c", _configuration, "-l", Path.Combine(_folder.Path, "log")]))!;
        for (var started = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(started) < Deadline;)
        {
            try
            {
                using var client = new TcpClient();
                client.Connect(IPAddress.Loopback, Port);
                return process;
            }
            catch (SocketException)
            {
                Thread.Sleep(10);
            }
        }
        throw new InvalidOperationException(File.ReadAllText(Path.Combine(_folder.Path, "log")));
    }
}
