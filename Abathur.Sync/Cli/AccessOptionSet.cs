using System.CommandLine;
using System.Globalization;
using System.Security.Cryptography;
using Abathur.Sync.Access;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;

namespace Abathur.Sync.Cli;

/// <summary>The options for access control.</summary>
/// <param name="canDelay">Whether the match may be shown later to clients with the token for watching.</param>
internal sealed class AccessOptionSet(bool canDelay)
{
    /// <summary>Token that allows everything; agents that the daemon starts use it.</summary>
    public const string TokenVariable = AgentSupervisor.TokenVariable;

    /// <summary>Token that allows only watching.</summary>
    public const string WatchTokenVariable = "ABATHUR_WATCH_TOKEN";

    private const int MaxActRate = 1_000_000;

    private readonly Option<string> _address = new("--address")
    {
        Description = "Address to listen on. Addresses other than loopback need a token, and TLS or --insecure.",
        DefaultValueFactory = _ => ListenAddress.Default,
    };

    private readonly Option<string?> _tokenFile = new("--token-file")
    {
        Description =
            $"Accept only clients that send the token in this file (or in {TokenVariable}), {AccessTokens.MinLength} characters or more.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _watchTokenFile = new("--watch-token-file")
    {
        Description = $"Allow clients that send the token in this file (or in {WatchTokenVariable}) to watch, but not to act.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _delay = new("--delay")
    {
        Description = "Show the match so much later to clients with the watch token: 60s, 2m. It needs both tokens.",
        HelpName = "TIME",
    };

    private readonly Option<string?> _tlsCert = new("--tls-cert")
    {
        Description = "Speak TLS with this certificate (PEM).",
        HelpName = "FILE",
    };

    private readonly Option<string?> _tlsKey = new("--tls-key")
    {
        Description = "Private key of the certificate (PEM).",
        HelpName = "FILE",
    };

    private readonly Option<bool> _insecure = new("--insecure")
    {
        Description = "Listen on a network without TLS: others on the network can read the match and the token.",
    };

    private readonly Option<string[]> _allowHost = new("--allow-host")
    {
        Description = "Name by which browsers may call the daemon, e.g. bots.example.com, besides those of loopback. May be repeated.",
        HelpName = "NAME",
    };

    private readonly Option<string[]> _allowOrigin = new("--allow-origin")
    {
        Description = "Let web pages of this origin connect, e.g. http://localhost:3000, besides the daemon's own. May be repeated.",
        HelpName = "ORIGIN",
    };

    private readonly Option<int> _actRate = new("--act-rate")
    {
        Description = "Requests a second to act, draw or control the playback, all agents together.",
        DefaultValueFactory = _ => new AccessOptions().ActRate,
        HelpName = "N",
    };

    public void AddTo(Command command)
    {
        _actRate.Must(
            rate => rate is >= 1 and <= MaxActRate, $"--act-rate must be 1 to {MaxActRate.ToString(CultureInfo.InvariantCulture)}.");
        _allowOrigin.Validators.Add(result =>
        {
            foreach (var origin in result.Tokens)
            {
                if (WebOrigins.TryParse(origin.Value, out var problem) is null) result.AddError($"--allow-origin: {problem}.");
            }
        });
        _allowHost.Validators.Add(result =>
        {
            foreach (var name in result.Tokens)
            {
                if (Uri.CheckHostName(name.Value) is UriHostNameType.Unknown or UriHostNameType.Basic)
                    result.AddError($"--allow-host: \"{name.Value}\" is not a host name.");
            }
        });
        _address.Validators.Add(result =>
        {
            if (!ListenAddress.TryParse(result.GetValueOrDefault<string>()!, out _, out var problem))
                result.AddError($"--address: {problem}.");
        });
        _delay.Must(
            text => text is null
                || (TimeText.Parse(text) is { } delay && delay >= AccessOptions.MinWatchDelay && delay <= AccessOptions.MaxWatchDelay),
            "--delay must be a time of 0.1s to 1h, such as 90s, 1.5m or 90 (seconds).");
        command.AddGroup("Addresses", _address);
        Option[] tokens = canDelay ? [_tokenFile, _watchTokenFile, _delay] : [_tokenFile, _watchTokenFile];
        command.AddGroup("Access", [.. tokens, _tlsCert, _tlsKey, _insecure, _allowHost, _allowOrigin, _actRate]);
    }

    /// <summary>The parsed options.</summary>
    /// <exception cref="CliException">The options contradict each other, or a file cannot be read.</exception>
    public AccessOptions Read(ParseResult result)
    {
        if (!ListenAddress.TryParse(result.GetValue(_address)!, out var address, out var problem))
            throw new CliException(problem, ExitCode.Usage);
        var options = new AccessOptions
        {
            Address = address,
            Tokens = new AccessTokens(ReadToken(result, _tokenFile, TokenVariable), ReadToken(result, _watchTokenFile, WatchTokenVariable)),
            Tls = ReadTls(result),
            Insecure = result.GetValue(_insecure),
            AllowedHosts = result.GetValue(_allowHost) ?? [],
            AllowedOrigins = [.. (result.GetValue(_allowOrigin) ?? []).Select(text => WebOrigins.TryParse(text, out _)).OfType<string>()],
            ActRate = result.GetValue(_actRate),
            WatchDelay = canDelay && result.GetValue(_delay) is { } text ? TimeText.Parse(text)!.Value : TimeSpan.Zero,
        };
        if (options.DelayProblem() is { } problemOfDelay) throw new CliException($"--delay: {problemOfDelay}.", ExitCode.Usage);
        if (options.Problem() is { } missing) throw new CliException($"--address: {missing}.", ExitCode.Usage);
        return options;
    }

    private static string? ReadToken(ParseResult result, Option<string?> option, string variable)
    {
        var (name, token) = (variable, Environment.GetEnvironmentVariable(variable));
        if (result.GetValue(option) is { } path)
        {
            // The token itself is never an argument: it would appear in `ps` and in the shell history.
            (name, token) = (option.Name, ReadSecret(path, option.Name).Trim());
        }
        if (string.IsNullOrEmpty(token) && result.GetValue(option) is null) return null;
        if (AccessTokens.Problem(token ?? "") is { } problem) throw new CliException($"{name}: {problem}.", ExitCode.Usage);
        return token;
    }

    private TlsCertificate? ReadTls(ParseResult result)
    {
        var (certificate, key) = (result.GetValue(_tlsCert), result.GetValue(_tlsKey));
        if (certificate is null && key is null) return null;
        if (certificate is null || key is null) throw new CliException("--tls-cert and --tls-key go together.", ExitCode.Usage);
        var (certificatePem, keyPem) = (ReadFile(certificate, _tlsCert.Name), ReadSecret(key, _tlsKey.Name));
        try
        {
            return TlsCertificate.FromPem(certificatePem, keyPem);
        }
        catch (Exception e) when (e is CryptographicException or ArgumentException)
        {
            throw new CliException($"--tls-cert {certificate} with --tls-key {key}: {e.Message}", ExitCode.Usage);
        }
    }

    /// <summary>The text of the file with a secret that an option names; warns if other users can read it.</summary>
    /// <exception cref="CliException">It cannot be read.</exception>
    public static string ReadSecret(string path, string option)
    {
        var text = ReadFile(path, option);
        if (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(path) & (UnixFileMode.GroupRead | UnixFileMode.OtherRead)) != 0)
            LogMessages.SecretFileReadable(ProgramLog.Logger, path);
        return text;
    }

    /// <summary>The text of the file that an option names.</summary>
    /// <exception cref="CliException">It cannot be read.</exception>
    private static string ReadFile(string path, string option)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new CliException($"{option}: {e.Message}", ExitCode.Usage);
        }
    }
}
