using System.CommandLine;
using System.Globalization;
using Abathur.Client;
using Abathur.Client.Nats.Wire;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Abathur.Sync.Relay;

namespace Abathur.Sync.Cli;

/// <summary><c>relay nats://HOST:PORT</c>: publishes the match of a daemon elsewhere to NATS JetStream.</summary>
internal static class RelayCommand
{
    private const string InFile = "file", InMemory = "memory";
    private const int MaxMatchMb = 1_000_000;
    private const long BytesInMb = 1024 * 1024;
    private static readonly TimeSpan MinKeep = TimeSpan.FromSeconds(1), MaxKeep = TimeSpan.FromDays(365);

    private static readonly Argument<string> Servers = new("SERVERS")
    {
        Description = "A NATS server, with the name of the match; natss: with TLS; several servers of a cluster with commas.",
        HelpName = "nats://HOST:PORT[/NAME]",
    };

    private static readonly Option<string?> Address = new("--address")
    {
        Description = "Address of the daemon: HOST:PORT of its gRPC, grpcs:// with TLS, match:NAME. Default: "
            + $"{AgentSupervisor.AddressVariable}, else gRPC on this machine.",
        HelpName = "DAEMON",
    };

    private static readonly Option<string?> Match = new("--match")
    {
        Description = "Name on NATS: letters, digits, '_' and '-'. Default: that in the address, else the match id.",
        HelpName = "NAME",
    };

    private static readonly Option<string> Keep = new("--keep")
    {
        Description = "How long frames are kept: 90s, 30m, 2h or 7d.",
        HelpName = "TIME",
        DefaultValueFactory = _ => "2h",
    };

    private static readonly Option<int> MatchMb = new("--match-mb")
    {
        Description = "How many megabytes of the match are kept at most; the server reserves them.",
        HelpName = "MB",
        DefaultValueFactory = _ => (int)(new RelayOptions().MaxBytes / BytesInMb),
    };

    private static readonly Option<int> Replicas = new("--replicas")
    {
        Description = "Servers of a cluster that store it: 1, 3 or 5.",
        HelpName = "N",
        DefaultValueFactory = _ => new RelayOptions().Replicas,
    };

    private static readonly Option<string> Storage = new("--storage")
    {
        Description = $"Where they store it: {InFile} or {InMemory}.",
        HelpName = $"{InFile}|{InMemory}",
        DefaultValueFactory = _ => InFile,
    };

    private static readonly Option<string?> Credentials = new("--creds")
    {
        Description = $"File with credentials for NATS. Default: {NatsAddress.CredentialsVariable}.",
        HelpName = "FILE",
    };

    private static readonly Option<string?> Ca = new("--ca")
    {
        Description = $"File (PEM) with trusted root certificates. Default: {NatsAddress.CaVariable}, else those of the system.",
        HelpName = "FILE",
    };

    private static readonly StopWithParentOption StopWithParent = new();

    public static Command Create()
    {
        Servers.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && NatsAddress.Parse(token.Value, out var problem) is null) result.AddError($"{problem}.");
        });
        Match.Must(
            name => name is null || MatchName.Is(name),
            $"--match must be 1 to {MatchName.MaxLength} letters, digits, '_' and '-'.");
        // A number alone could be meant as hours.
        Keep.Must(
            text => text.Length > 0 && !char.IsAsciiDigit(text[^1])
                && TimeText.Parse(text) is { } time && time >= MinKeep && time <= MaxKeep,
            "--keep must be a time such as 90s, 30m, 2h or 7d, from 1s to 365d.");
        MatchMb.Must(mb => mb is >= 1 and <= MaxMatchMb, $"--match-mb must be 1 to {MaxMatchMb}.");
        Replicas.Must(number => number is 1 or 3 or 5, "--replicas must be 1, 3 or 5.");
        Storage.OneOf(InFile, InMemory);
        var command = new Command(
            "relay", "Publish the match of a daemon to NATS JetStream, and pass requests of readers to the daemon. Ends with the match.")
        {
            Servers,
        };
        command.AddGroup("Match", Address, Match);
        command.AddGroup("Storage", Keep, MatchMb, Replicas, Storage);
        command.AddGroup("Access", Credentials, Ca);
        command.AddGroup(OptionGroups.Other, StopWithParent.Option);
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellationToken)
    {
        using var stop = StopWithParent.Listen(result, cancellationToken);
        stop.WatchParent();
        var servers = NatsAddress.Parse(result.GetValue(Servers)!, out _)!;
        servers = servers with
        {
            Credentials = result.GetValue(Credentials) ?? servers.Credentials,
            CaFile = result.GetValue(Ca) ?? servers.CaFile,
        };
        if (servers.Problem() is { } problem) throw new CliException(problem);
        var options = new RelayOptions
        {
            Keep = TimeText.Parse(result.GetValue(Keep)!)!.Value,
            MaxBytes = result.GetValue(MatchMb) * BytesInMb,
            Replicas = result.GetValue(Replicas),
            InMemory = result.GetValue(Storage) == InMemory,
        };
        var address = DaemonOf(result.GetValue(Address));
        try
        {
            using var daemon = new RemoteDaemon(address, Token(), servers.CaFile);
            await using var connected = await RelayServers.ConnectAsync(servers, stop.Token);
            var relay = new MatchRelay(
                connected, daemon, result.GetValue(Match) ?? servers.Match, options,
                line => LogMessages.AgentOutput(ProgramLog.Logger, line), TimeProvider.System)
            {
                Ready = name => Console.Out.WriteLine($"ready {servers}/{name}"),
            };
            return await relay.RunAsync(stop.Token) is { } reason ? throw new CliException(reason) : ExitCode.Ok;
        }
        catch (NatsProblemException e)
        {
            throw new CliException(e.Message);
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            // The directory says that it was stopped.
            return ExitCode.Ok;
        }
    }

    private static GrpcAddress DaemonOf(string? text)
    {
        text ??= Environment.GetEnvironmentVariable(AgentSupervisor.AddressVariable) is { Length: > 0 } variable
            ? variable
            : string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{DaemonOptions.DefaultGrpcPort}");
        return GrpcAddress.Parse(text, out var problem) ?? throw new CliException($"--address: {problem}", ExitCode.Usage);
    }

    /// <summary>The token for the daemon; null: none.</summary>
    private static string? Token() => new[] { AgentSupervisor.RelayTokenVariable, AgentSupervisor.TokenVariable }
        .Select(name => Environment.GetEnvironmentVariable(name)?.Trim())
        .FirstOrDefault(token => token is { Length: > 0 });
}
