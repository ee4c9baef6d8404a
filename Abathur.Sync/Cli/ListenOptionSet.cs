using System.CommandLine;
using Abathur.Client;
using Abathur.Client.Nats.Wire;
using Abathur.Sc2;
using Abathur.Sync.Access;
using Abathur.Sync.Dashboard;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Hub;
using Abathur.Sync.Relay;
using Abathur.Sync.Transports;

namespace Abathur.Sync.Cli;

/// <summary>The options of every command that serves agents.</summary>
internal sealed class ListenOptionSet
{
    private const string AutomaticPorts = "auto";
    private const string DefaultRecordings = "recordings";
    private const int MaxHistoryMb = 16 * 1024;
    private const long BytesInMb = 1024 * 1024;

    private readonly AccessOptionSet _access;

    private readonly Option<string?> _name = new("--name")
    {
        Description = "Name of the match, by which agents on this machine find it as match:NAME. Default: the recording's name or the "
            + "command's, with a number where it is taken.",
        HelpName = "NAME",
    };

    private readonly Option<string?> _ports = new("--ports")
    {
        Description = "auto: any free port for gRPC, the socket and HTTP.",
        HelpName = AutomaticPorts,
    };

    private readonly Option<int> _grpcPort = new("--grpc-port")
    {
        Description = "TCP port of gRPC; 0: any free one.",
        HelpName = "PORT",
        DefaultValueFactory = _ => DaemonOptions.DefaultGrpcPort,
    };

    private readonly Option<int> _socketPort = new("--socket-port")
    {
        Description = "TCP port of the socket; 0: any free one.",
        HelpName = "PORT",
        DefaultValueFactory = _ => DaemonOptions.DefaultSocketPort,
    };

    private readonly Option<int?> _httpPort = new("--http-port")
    {
        Description = $"TCP port of HTTP (WebSocket at /v1/sync); 0: any free one. Default: {DaemonOptions.DefaultHttpPort}, or 0 where "
            + "another port is 0.",
        HelpName = "PORT",
    };

    private readonly Option<string?> _recordings = new("--recordings")
    {
        Description = $"Folder of recordings that the dashboard opens by name, and adds dropped files to. Default: {DefaultRecordings}, "
            + "if the working directory has that folder.",
        HelpName = "DIR",
    };

    private readonly Option<string?> _grpcUds = new("--grpc-uds")
    {
        Description = "Serve gRPC on this Unix domain socket as well.",
        HelpName = "PATH",
    };

    private readonly Option<string?> _socketUds = new("--socket-uds")
    {
        Description = "Serve the socket on this Unix domain socket as well.",
        HelpName = "PATH",
    };

    private readonly Option<double> _stallTimeout = new("--stall-timeout")
    {
        Description = "Seconds that a lossless agent may read nothing before it is disconnected.",
        DefaultValueFactory = _ => new HubOptions().StallTimeout.TotalSeconds,
        HelpName = "SECONDS",
    };

    private readonly Option<double> _keyframeInterval = new("--keyframe-interval")
    {
        Description = "Seconds from one keyframe of a stream to the next (columns, zstd-stream, br-stream), at 22.4 frames a second; 0: "
            + "only when an agent joins or has skipped frames.",
        DefaultValueFactory = _ => new HubOptions().KeyframeIntervalFrames / GameTime.LoopsPerSecond,
        HelpName = "SECONDS",
    };

    private readonly Option<int> _historyMb = new("--history-mb")
    {
        Description = "Megabytes for frames of the match that are kept in memory for agents that begin in the past; 0: none are kept.",
        HelpName = "MB",
        DefaultValueFactory = _ => (int)(new HubOptions().HistoryBytes / BytesInMb),
    };

    private readonly Option<string[]> _agent = new("--agent")
    {
        Description = $"Run this program beside the daemon, with the daemon's address in {AgentSupervisor.AddressVariable}; started "
            + "again when it fails. May be repeated.",
        HelpName = "COMMAND",
    };

    private readonly Option<string?> _relay = new("--relay")
    {
        Description = "Publish the match to a NATS server, by that name (default: --name, else the match id). The match does not wait "
            + "for it.",
        HelpName = "nats://HOST:PORT[/NAME]",
    };

    private readonly StopWithParentOption _stopWithParent = new();

    /// <param name="canDelay">Whether the match may be shown later to some clients.</param>
    public ListenOptionSet(bool canDelay = false) => _access = new AccessOptionSet(canDelay);

    public void AddTo(Command command)
    {
        foreach (var port in new[] { _grpcPort, _socketPort })
            port.Must(number => number is >= 0 and <= DaemonOptions.MaxPort, $"{port.Name} must be 0 to 65535.");
        _httpPort.Must(number => number is null or (>= 0 and <= DaemonOptions.MaxPort), "--http-port must be 0 to 65535.");
        _agent.Validators.Add(result =>
        {
            foreach (var command in result.Tokens)
            {
                try
                {
                    CommandLine.Split(command.Value);
                }
                catch (AgentException e)
                {
                    result.AddError($"--agent: {e.Message}.");
                }
            }
        });
        _relay.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && NatsAddress.Parse(token.Value, out var problem) is null)
                result.AddError($"--relay: {problem}.");
        });
        _stallTimeout.Must(seconds => seconds is > 0 and <= 3600, "--stall-timeout must be more than 0 and at most 3600 seconds.");
        _keyframeInterval.Must(seconds => seconds is >= 0 and <= 3600, "--keyframe-interval must be 0 to 3600 seconds.");
        _historyMb.Must(mb => mb is >= 0 and <= MaxHistoryMb, $"--history-mb must be 0 to {MaxHistoryMb}.");
        _name.Must(
            name => name is null || MatchName.Is(name),
            $"--name must be 1 to {MatchName.MaxLength} letters, digits, '_' and '-'.");
        _ports.Must(
            ports => ports is null or AutomaticPorts,
            $"--ports must be {AutomaticPorts}; for a port of your choice, use --grpc-port, --socket-port and --http-port.");
        command.Validators.Add(result =>
        {
            if (result.GetResult(_ports) is null) return;
            foreach (var port in new Option[] { _grpcPort, _socketPort, _httpPort })
                if (result.GetResult(port) is { Implicit: false }) result.AddError($"--ports and {port.Name} exclude each other.");
        });
        command.AddGroup("Agents", _agent, _stallTimeout, _keyframeInterval, _historyMb);
        command.AddGroup("Addresses", _name, _ports, _grpcPort, _socketPort, _httpPort, _grpcUds, _socketUds);
        _access.AddTo(command);
        command.AddGroup("Dashboard", _recordings);
        command.AddGroup("NATS", _relay);
        command.AddGroup(OptionGroups.Other, _stopWithParent.Option);
    }

    public DaemonOptions Read(ParseResult result)
    {
        var isAutomatic = result.GetValue(_ports) is not null;
        var (grpc, socket) = isAutomatic ? (0, 0) : (result.GetValue(_grpcPort), result.GetValue(_socketPort));
        var access = _access.Read(result);
        if (access.WatchDelay > TimeSpan.Zero && result.GetValue(_historyMb) == 0)
            throw new CliException("--delay needs --history-mb of 1 or more: the frames that are shown later wait there.", ExitCode.Usage);
        return new DaemonOptions
        {
            Access = access,
            GrpcPort = grpc,
            SocketPort = socket,
            // A user who lets the system choose a port runs several daemons.
            HttpPort = result.GetValue(_httpPort) ?? (grpc == 0 || socket == 0 ? 0 : DaemonOptions.DefaultHttpPort),
            Recordings = new RecordingsOptions { Folder = Recordings(result) },
            GrpcUnixSocket = UnixSocket(result, _grpcUds),
            SocketUnixSocket = UnixSocket(result, _socketUds),
            Hub = new HubOptions
            {
                StallTimeout = TimeSpan.FromSeconds(result.GetValue(_stallTimeout)),
                HistoryBytes = result.GetValue(_historyMb) * BytesInMb,
                KeyframeIntervalFrames = (uint)Math.Ceiling(result.GetValue(_keyframeInterval) * GameTime.LoopsPerSecond),
            },
        };
    }

    /// <summary>Takes the name of the match in the directory of this machine; null if the directory cannot be used, which is
    /// logged.</summary>
    /// <param name="result">The command line.</param>
    /// <param name="defaultName">Name without <c>--name</c>.</param>
    /// <exception cref="CliException">Another daemon has the name.</exception>
    public LocalMatch? TakeName(ParseResult result, string defaultName)
    {
        try
        {
            if (result.GetValue(_name) is not { } name) return LocalMatch.TakeSimilar(LocalMatch.ToName(defaultName));
            return LocalMatch.TryTake(name)
                ?? throw new CliException(
                    $"--name: a daemon on this machine publishes a match with the name {name} already; choose another one",
                    ExitCode.Usage);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            LogMessages.MatchNotListed(ProgramLog.Logger, e.Message);
            return null;
        }
    }

    private string? Recordings(ParseResult result)
    {
        if (result.GetValue(_recordings) is not { } folder) return IsReadable(DefaultRecordings) ? DefaultRecordings : null;
        if (!Directory.Exists(folder)) throw new CliException($"--recordings: there is no folder {folder}", ExitCode.Usage);
        return IsReadable(folder) ? folder : throw new CliException($"--recordings: {folder}: permission denied", ExitCode.Usage);
    }

    private static bool IsReadable(string folder)
    {
        try
        {
            _ = Directory.EnumerateFileSystemEntries(folder).Any();
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static string? UnixSocket(ParseResult result, Option<string?> option)
    {
        if (result.GetValue(option) is not { } path) return null;
        return UnixSocketPath.TryResolve(path, out var problem) ?? throw new CliException($"{option.Name}: {problem}", ExitCode.Usage);
    }

    /// <summary>The agents to run beside the daemon.</summary>
    public IReadOnlyList<AgentSupervisor> Agents(ParseResult result, BoundAddresses addresses, AccessOptions access)
    {
        var address = access.Tls is null ? addresses.Grpc : $"grpcs://{addresses.Grpc}";
        var token = access.Tokens.ForAgents;
        // The readers of a relay are no agents of this daemon.
        var relayToken = access.WatchDelay > TimeSpan.Zero ? access.Tokens.ForWatching : null;
        var commands = result.GetValue(_agent) ?? [];
        return [.. commands.Select((command, i) => new AgentSupervisor(
            command, commands.Length == 1 ? "agent" : $"agent {i + 1}", address, token, relayToken, TimeProvider.System))];
    }

    /// <summary>The relay of the match; null: none is wanted.</summary>
    /// <param name="result">The command line.</param>
    /// <param name="api">The requests of this daemon.</param>
    /// <param name="access">Its access rules.</param>
    /// <exception cref="CliException">A file of the login cannot be used.</exception>
    public RelaySupervisor? Relay(ParseResult result, SyncApi api, AccessOptions access)
    {
        if (result.GetValue(_relay) is not { } text || NatsAddress.Parse(text, out _) is not { } address) return null;
        if (address.Problem() is { } problem) throw new CliException($"--relay: {problem}");
        // The readers of a relay are no agents of this daemon.
        var level = access.WatchDelay > TimeSpan.Zero ? AccessLevel.Watch : api.LevelOf(access.Tokens.ForAgents);
        return new RelaySupervisor(address, address.Match ?? result.GetValue(_name), api, level, TimeProvider.System);
    }

    /// <inheritdoc cref="StopWithParentOption.Listen"/>
    public StopSignals ListenForStop(ParseResult result, CancellationToken interrupted) => _stopWithParent.Listen(result, interrupted);
}
