using System.CommandLine;
using System.Diagnostics;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Hosting;
using Google.Protobuf;
using Spectre.Console;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Cli;

/// <summary><c>status [ADDRESS]</c>: what a running daemon is doing, kept up to date on a terminal.</summary>
internal static class StatusCommand
{
    private const int WidthOfPipe = 140;
    private static readonly TimeSpan Refresh = TimeSpan.FromSeconds(1);

    private static readonly Argument<string> Address = new("ADDRESS")
    {
        Description = "HOST:PORT of the daemon's HTTP port, or https://HOST:PORT.",
        DefaultValueFactory = _ => $"127.0.0.1:{DaemonOptions.DefaultHttpPort}",
    };

    private static readonly Option<bool> Once = new("--once")
    {
        Description = "Show it once and end. This is also the default without a terminal.",
    };

    private static readonly Option<bool> Json = new("--json") { Description = "Print it once as JSON." };

    private static readonly Option<string?> TokenFile = new("--token-file")
    {
        Description = $"Send the token in this file (default: {AccessOptionSet.TokenVariable}).",
        HelpName = "FILE",
    };

    private static readonly Option<string?> Ca = new("--ca")
    {
        Description = "Trust the certificates in this file (PEM), in place of those that the system trusts.",
        HelpName = "FILE",
    };

    public static Command Create()
    {
        var command = new Command("status", "Show what a running daemon is doing.") { Address, Once, Json, TokenFile, Ca };
        command.SetAction(RunAsync);
        return command;
    }

    private static async Task<int> RunAsync(ParseResult result, CancellationToken cancellationToken)
    {
        var token = result.GetValue(TokenFile) is { } path
            ? AccessOptionSet.ReadSecret(path, TokenFile.Name).Trim()
            : Environment.GetEnvironmentVariable(AccessOptionSet.TokenVariable);
        using var client = new StatusClient(result.GetValue(Address)!, string.IsNullOrEmpty(token) ? null : token, result.GetValue(Ca));
        var status = await client.GetAsync(cancellationToken);
        if (result.GetValue(Json))
        {
            Console.Out.WriteLine(PrintableText.EscapeJson(JsonFormatter.Default.Format(status)));
            return ExitCode.Ok;
        }
        if (result.GetValue(Once) || Console.IsOutputRedirected)
        {
            ConsoleText.Write(Console.Out, WidthOfPipe, width => StatusTable.Create(client.Place, status, null, default, width));
            return ExitCode.Ok;
        }
        await AnsiConsole.Live(StatusTable.Create(client.Place, status, null, default, AnsiConsole.Profile.Width)).StartAsync(
            async live => await KeepUpAsync(live, client, status, cancellationToken));
        return ExitCode.Ok;
    }

    private static async Task KeepUpAsync(LiveDisplayContext live, StatusClient client, Status before, CancellationToken cancellationToken)
    {
        var taken = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                await Task.Delay(Refresh, cancellationToken);
                var status = await client.GetAsync(cancellationToken);
                var (now, elapsed) = (Stopwatch.GetTimestamp(), Stopwatch.GetElapsedTime(taken));
                live.UpdateTarget(StatusTable.Create(client.Place, status, before, elapsed, AnsiConsole.Profile.Width));
                (before, taken) = (status, now);
            }
            catch (OperationCanceledException)
            {
                // Ctrl-C is the normal way to end it.
                return;
            }
        }
    }
}
