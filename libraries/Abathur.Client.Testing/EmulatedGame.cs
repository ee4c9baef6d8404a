using System.Diagnostics;
using System.Globalization;

namespace Abathur.Client.Testing;

/// <summary>The game's API from a recording, for tests of bots: the daemon's emulator as a child process. It ends with this object, and
/// with the process that started it, also after a crash.</summary>
/// <example>
/// As a fixture of xunit:
/// <code>
/// public sealed class Game : IAsyncLifetime
/// {
///     public EmulatedGame Emulated { get; private set; } = null!;
///     public async Task InitializeAsync() => Emulated = await EmulatedGame.StartAsync("recordings/skirmish.mcap");
///     public async Task DisposeAsync() => await Emulated.DisposeAsync();
/// }
/// </code>
/// </example>
public sealed class EmulatedGame : IAsyncDisposable
{
    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(10);
    private readonly Process _process;
    private readonly DirectoryInfo _folder;
    private readonly Task<string> _errors;
    private bool _isDisposed;

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
    /// <param name="cancellationToken">Ends the wait, and the emulator.</param>
    /// <exception cref="DaemonException">The daemon was not found, or refuses the recording.</exception>
    public static async Task<EmulatedGame> StartAsync(
        string recording, EmulatedGameOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new EmulatedGameOptions();
        var command = DaemonProgram.Find(options.Command);
        var folder = Directory.CreateTempSubdirectory("abathur-emulate-");
        EmulatedGame? game = null;
        try
        {
            var arguments = options.ToArguments(recording, Path.Combine(folder.FullName, "actions.ndjson"));
            game = new EmulatedGame(Start(command, arguments), folder);
            await game.WaitUntilReadyAsync(options.StartTimeout, cancellationToken).ConfigureAwait(false);
            return game;
        }
        catch
        {
            if (game is not null) await game.DisposeAsync().ConfigureAwait(false);
            else folder.Delete(recursive: true);
            throw;
        }
    }

    /// <summary>Kills the game, and waits until it has ended: connections break at any point. For tests of crashes.</summary>
    /// <exception cref="ObjectDisposedException">The game is disposed.</exception>
    public Task KillAsync()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _process.Kill();
        return _process.WaitForExitAsync();
    }

    /// <summary>Ends the game, and deletes its log of actions.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_isDisposed) return;
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
            if (!await HasExitedAsync().ConfigureAwait(false)) await KillAsync().ConfigureAwait(false);
        }
        _isDisposed = true;
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

    private async Task WaitUntilReadyAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        var address = await ReadAddressAsync(timeout, cancellationToken).ConfigureAwait(false);
        if (address is null)
        {
            if (!await HasExitedAsync().ConfigureAwait(false)) await KillAsync().ConfigureAwait(false);
            var said = (await _errors.ConfigureAwait(false)).Trim();
            throw new DaemonException(said.Length > 0 ? said : $"it was not ready after {timeout.TotalSeconds:g} s", _process.ExitCode);
        }
        var colon = address.LastIndexOf(':');
        Host = address[..colon];
        Port = int.Parse(address[(colon + 1)..], CultureInfo.InvariantCulture);
        // What it writes later is not read: the pipe must not fill.
        _ = _process.StandardOutput.ReadToEndAsync(CancellationToken.None);
    }

    /// <summary>What the emulator says when it listens; null if it ends instead, or is killed because it takes too long.</summary>
    private async Task<string?> ReadAddressAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        const string Key = "sc2api=";
        try
        {
            var reading = _process.StandardOutput.ReadLineAsync(cancellationToken).AsTask();
            var line = await reading.WaitAsync(timeout, cancellationToken).ConfigureAwait(false);
            return line?.Split(' ').FirstOrDefault(word => word.StartsWith(Key, StringComparison.Ordinal))?[Key.Length..];
        }
        catch (TimeoutException)
        {
            await KillAsync().ConfigureAwait(false);
            return null;
        }
    }

    private async Task<bool> HasExitedAsync()
    {
        try
        {
            await _process.WaitForExitAsync().WaitAsync(StopTimeout).ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }
}
