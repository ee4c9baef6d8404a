using System.Diagnostics;
using System.Globalization;

namespace Abathur.Client.Testing;

/// <summary>The game's API from a recording, for tests of bots: the daemon's emulator as a child process. It ends with this object, and
/// with
/// the process that started it, also after a crash.</summary>
/// <example>
/// As a fixture of xunit:
/// <code>
/// public sealed class Game : IDisposable
/// {
///     public EmulatedGame Emulated { get; } = EmulatedGame.Start("recordings/skirmish.mcap");
///     public void Dispose() => Emulated.Dispose();
/// }
/// </code>
/// </example>
public sealed class EmulatedGame : IDisposable
{
    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(10);
    private readonly Process _process;
    private readonly DirectoryInfo _folder;
    private readonly Task<string> _errors;

    private EmulatedGame(Process process, DirectoryInfo folder)
    {
        (_process, _folder) = (process, folder);
        _errors = process.StandardError.ReadToEndAsync();
    }

    /// <summary>Address of the game.</summary>
    public string Host { get; private set; } = "";

    /// <summary>Port of the game.</summary>
    public int Port { get; private set; }

    /// <summary>Where clients of the game connect: <c>ws://HOST:PORT/sc2api</c>.</summary>
    public Uri Url => new($"ws://{Host}:{Port}/sc2api");

    /// <summary>The arguments of a bot on a ladder, for a game against the built-in AI.</summary>
    public IReadOnlyList<string> LadderArguments =>
        ["--GamePort", Port.ToString(CultureInfo.InvariantCulture), "--LadderServer", Host];

    /// <summary>The actions of clients so far, with their game loops.</summary>
    public IReadOnlyList<LoggedAction> Actions => LoggedAction.Read(ActionFile);

    private string ActionFile => Path.Combine(_folder.FullName, "actions.ndjson");

    /// <summary>Starts the emulator, and waits until it listens.</summary>
    /// <param name="recording">A recording, or other input of <c>emulate</c>: serialized observations, or a folder.</param>
    /// <param name="options">Default: any free port, undecided result.</param>
    /// <exception cref="DaemonException">The daemon was not found, or refuses the recording.</exception>
    public static EmulatedGame Start(string recording, EmulatedGameOptions? options = null)
    {
        options ??= new EmulatedGameOptions();
        var command = DaemonProgram.Find(options.Command);
        var folder = Directory.CreateTempSubdirectory("abathur-emulate-");
        EmulatedGame? game = null;
        try
        {
            var arguments = options.ToArguments(recording, Path.Combine(folder.FullName, "actions.ndjson"));
            game = new EmulatedGame(Start(command, arguments), folder);
            game.WaitUntilReady(options.StartTimeout);
            return game;
        }
        catch
        {
            if (game is not null) game.Dispose();
            else folder.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Kills the game: connections break at any point. For tests of crashes.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
            if (!_process.WaitForExit(StopTimeout)) Kill();
        }
        _process.Dispose();
        _folder.Delete(recursive: true);
    }

    private static Process Start(IReadOnlyList<string> command, IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(command[0], [.. command.Skip(1), .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            return Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            throw new DaemonException($"cannot start {command[0]}: {e.Message}", null, e);
        }
    }

    private void WaitUntilReady(TimeSpan timeout)
    {
        var line = _process.StandardOutput.ReadLineAsync();
        var isReady = line.Wait(timeout);
        const string Key = "sc2api=";
        var address = isReady ? line.Result?.Split(' ').FirstOrDefault(word => word.StartsWith(Key, StringComparison.Ordinal)) : null;
        if (address is null)
        {
            if (!isReady) Kill();
            if (!_process.WaitForExit(StopTimeout)) Kill();
            var said = _errors.Result.Trim();
            throw new DaemonException(said.Length > 0 ? said : $"it was not ready after {timeout.TotalSeconds:g} s", _process.ExitCode);
        }
        var colon = address.LastIndexOf(':');
        Host = address[Key.Length..colon];
        Port = int.Parse(address[(colon + 1)..], CultureInfo.InvariantCulture);
        // What it writes later is not read: the pipe must not fill.
        _ = _process.StandardOutput.ReadToEndAsync();
    }
}
