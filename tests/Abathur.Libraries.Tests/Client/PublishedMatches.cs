using Abathur.Sync.V1;
using SC2APIProtocol;
using Result = SC2APIProtocol.Result;

namespace Abathur.Client.Tests;

/// <summary>A real daemon to which a bot publishes one match after the other. All have one id, as runs of one recording do.</summary>
internal sealed class PublishedMatches : IAsyncDisposable
{
    /// <summary>Frames of a match.</summary>
    public const int Frames = 6;

    private const int Distance = 40;
    private static readonly byte[][] Observations = [.. CommittedRecording.Observations().Take(4 * Distance)];
    private readonly DaemonProcess _daemon;
    private AbathurPublisher? _publisher;

    private PublishedMatches(DaemonProcess daemon, AbathurGame game) => (_daemon, Game) = (daemon, game);

    /// <summary>A connection to the daemon.</summary>
    public AbathurGame Game { get; }

    /// <summary>Starts the daemon.</summary>
    public static async Task<PublishedMatches> StartAsync(string transport, params string[] options)
    {
        var daemon = await DaemonProcess.StartAsync(["serve", .. options]);
        return new PublishedMatches(daemon, await AbathurGame.ConnectAsync(daemon.Address(transport)));
    }

    /// <summary><c>HOST:PORT</c> of a transport.</summary>
    public string AddressOf(string transport) => _daemon.Address(transport).Split("//")[1];

    /// <summary>The observations of a match, which are later in the recording than those of the match before. The last one has a
    /// result.</summary>
    public static IEnumerable<ResponseObservation> Of(int match)
    {
        for (var i = 0; i < Frames; i++)
        {
            var observation = ResponseObservation.Parser.ParseFrom(Observations[(match * Distance) + i]);
            if (i == Frames - 1) observation.PlayerResult.Add(new PlayerResult { PlayerId = 1 + (uint)match, Result = Result.Victory });
            yield return observation;
        }
    }

    /// <summary>Game loops of a match.</summary>
    public static uint[] LoopsOf(int match) => [.. Of(match).Select(each => each.Observation.GameLoop)];

    /// <summary>Publishes the next match, or a part of it, and does not end it.</summary>
    public async Task PublishAsync(int match, int from = 0, int to = Frames)
    {
        _publisher ??= await Game.PublishAsync(new Match { MatchId = "the same", MapName = $"map {match}" });
        foreach (var observation in Of(match).Take(to).Skip(from)) await _publisher.PublishAsync(observation);
    }

    /// <summary>Waits until the daemon has begun the match that is published.</summary>
    public async Task WaitForMatchAsync()
    {
        while ((await Game.MatchesAsync())[^1].State != MatchState.MatchRunning) await Task.Delay(10);
    }

    /// <summary>Ends the match, and waits until it is over.</summary>
    /// <param name="isLost">The bot disconnects without saying that nothing follows.</param>
    public async Task EndAsync(bool isLost = false)
    {
        if (!isLost) await _publisher!.FinishAsync();
        await _publisher!.DisposeAsync();
        _publisher = null;
        while ((await Game.MatchesAsync())[^1].State == MatchState.MatchRunning) await Task.Delay(10);
    }

    /// <summary>Tells the daemon to end.</summary>
    public void Stop() => _daemon.Stop();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_publisher is not null) await _publisher.DisposeAsync();
        await Game.DisposeAsync();
        _daemon.Dispose();
    }
}
