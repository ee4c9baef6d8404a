using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client.Testing.Tests;

/// <summary>The emulator as a child process, played by a client of the game's API.</summary>
public class EmulatedGameTests
{
    private static readonly EmulatedGameOptions Options = new() { Command = DaemonProcess.Program };

    [Fact]
    public async Task Client_PlaysTheRecording_AndItsActionsAreLogged()
    {
        await using var game = await EmulatedGame.StartAsync(CommittedRecording.Path, Options);
        Assert.Equal(["--GamePort", $"{game.Port}", "--LadderServer", "127.0.0.1"], game.LadderArguments);
        using var client = new ClientWebSocket();
        await client.ConnectAsync(game.Url, default);
        var join = new RequestJoinGame { Race = Race.Protoss, Options = new InterfaceOptions { Raw = true } };
        Assert.Equal(Status.InGame, (await AskAsync(client, new Request { JoinGame = join })).Status);
        var command = new ActionRawUnitCommand { AbilityId = 1344, UnitTags = { 7 } };
        var action = new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = command } };
        await AskAsync(client, new Request { Action = new RequestAction { Actions = { action } } });
        var answer = await AskAsync(client, new Request { Observation = new RequestObservation() });
        Assert.NotEmpty(answer.Observation.Observation.RawData.Units);
        while (game.Actions.Count == 0) await Task.Yield();
        Assert.Equal(action, Assert.Single(game.Actions).Action);
    }

    [Fact]
    public async Task StartAndStop_AreThePartThatIsPlayed()
    {
        var options = Options with { Start = 9400, Stop = 9800, Result = Result.Tie };
        await using var game = await EmulatedGame.StartAsync(CommittedRecording.Path, options);
        using var client = new ClientWebSocket();
        await client.ConnectAsync(game.Url, default);
        await AskAsync(client, new Request { JoinGame = new() { Race = Race.Zerg, Options = new InterfaceOptions { Raw = true } } });
        var first = await AskAsync(client, new Request { Observation = new RequestObservation() });
        Assert.Equal(9400u, first.Observation.Observation.GameLoop);
        Assert.Equal(Status.InGame, (await AskAsync(client, new Request { Step = new RequestStep { Count = 400 } })).Status);
        Assert.Equal(Status.Ended, (await AskAsync(client, new Request { Step = new RequestStep { Count = 1 } })).Status);
        var last = await AskAsync(client, new Request { Observation = new RequestObservation() });
        Assert.Equal(9800u, last.Observation.Observation.GameLoop);
        Assert.All(last.Observation.PlayerResult, each => Assert.Equal(Result.Tie, each.Result));
    }

    [Fact]
    public async Task StartAfterTheEnd_IsRefusedWithTheReason()
    {
        var error = await Assert.ThrowsAsync<DaemonException>(
            () => EmulatedGame.StartAsync(CommittedRecording.Path, Options with { Start = 10_304 }));
        Assert.Contains("skirmish.mcap ends at game loop 10303, before the start at 10304", error.Message, StringComparison.Ordinal);
        Assert.Equal(3, error.ExitCode);
    }

    [Fact]
    public async Task Kill_BreaksConnections()
    {
        await using var game = await EmulatedGame.StartAsync(CommittedRecording.Path, Options);
        using var client = new ClientWebSocket();
        await client.ConnectAsync(game.Url, default);
        await game.KillAsync();
        await Assert.ThrowsAsync<WebSocketException>(() => AskAsync(client, new Request { Ping = new RequestPing() }));
    }

    [Fact]
    public async Task RecordingThatIsNotThere_IsRefusedWithTheReason()
    {
        var error = await Assert.ThrowsAsync<DaemonException>(() => EmulatedGame.StartAsync("not-there.mcap", Options));
        Assert.Contains("not-there.mcap", error.Message, StringComparison.Ordinal);
        Assert.NotEqual(0, error.ExitCode);
    }

    [Fact]
    public async Task DaemonThatIsNotThere_IsSaid()
    {
        var missing = Options with { Command = "/not/there/program" };
        var error = await Assert.ThrowsAsync<DaemonException>(() => EmulatedGame.StartAsync(CommittedRecording.Path, missing));
        Assert.Contains("cannot start /not/there/program", error.Message, StringComparison.Ordinal);
        Assert.Null(error.ExitCode);
    }

    [Fact]
    public async Task GameThatIsDisposedTwice_IsDisposed()
    {
        var game = await EmulatedGame.StartAsync(CommittedRecording.Path, Options);
        await game.DisposeAsync();
        await game.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(game.KillAsync);
    }

    [Fact]
    public async Task Start_CanBeCancelled()
    {
        using var cancellation = new CancellationTokenSource();
        var starting = EmulatedGame.StartAsync(CommittedRecording.Path, Options, cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => starting);
    }

    [Theory]
    [InlineData("a b", "a|b")]
    [InlineData("dotnet \"C:\\tools\\a b\\x.dll\"", "dotnet|C:\\tools\\a b\\x.dll")]
    [InlineData("'a b' c\"d e\"f", "a b|cd ef")]
    public void CommandLine_IsSplit(string text, string words) => Assert.Equal(words.Split('|'), DaemonProgram.Split(text));

    [Theory]
    [InlineData("a \"b", "is not closed")]
    [InlineData("  ", "is empty")]
    public void CommandLine_IsRefused(string text, string expected)
    {
        var error = Assert.Throws<DaemonException>(() => DaemonProgram.Split(text));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    private static async Task<Response> AskAsync(ClientWebSocket client, Request request)
    {
        await client.SendAsync(request.ToByteArray(), WebSocketMessageType.Binary, true, default);
        var answer = new MemoryStream();
        var buffer = new byte[64 * 1024];
        WebSocketReceiveResult part;
        do
        {
            part = await client.ReceiveAsync(buffer, default);
            answer.Write(buffer, 0, part.Count);
        }
        while (!part.EndOfMessage);
        return Response.Parser.ParseFrom(answer.ToArray());
    }
}
