using Abathur.Client.Tests;
using SC2APIProtocol;
using static Abathur.Client.Nats.Tests.Relayed;

namespace Abathur.Client.Nats.Tests;

/// <summary>Matches that follow each other on one name of a real NATS server.</summary>
public sealed class NatsMatchesTests
{
    private const int Matches = 3;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    [NatsFact]
    public async Task Follow_GivesEachFrameOfEachMatchOnce()
    {
        using var server = NatsServer.Run();
        await using var published = await PublishedMatches.StartAsync("grpc", "--relay", server.Match());
        await published.PublishAsync(0);
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        await using var frames = game.Frames(Every with { Follow = true }).GetAsyncEnumerator();
        var runs = new List<string>();
        for (var match = 0; match < Matches; match++)
        {
            if (match > 0) await published.PublishAsync(match);
            var sequence = 0ul;
            foreach (var observation in PublishedMatches.Of(match))
            {
                Assert.True(await frames.MoveNextAsync().AsTask().WaitAsync(Limit));
                var frame = frames.Current;
                if (sequence == 0) runs.Add(frame.RunId);
                var loop = observation.Observation.GameLoop;
                Assert.Equal((++sequence, loop, runs[^1]), (frame.Sequence, frame.GameLoop, frame.RunId));
                Assert.Equal((0ul, false), (frame.Dropped, frame.SkippedEventsIncomplete));
                UnitAssert.Equal(observation, frame, isOrdered: false);
            }
            // Requests are about the match that is read.
            await game.PlotAsync("worth", match);
            Assert.Equal([(double)match], Assert.Single(await game.PlotsAsync()).Values);
            Assert.Equal($"map {match}", (await game.MatchAsync()).MapName);
            await published.EndAsync();
        }
        Assert.Equal(Matches, runs.Distinct().Count());
    }

    [NatsFact]
    public async Task Follow_WithLatest_HasTheLastFrameOfEachMatch_AndEndsWithTheDaemon()
    {
        using var server = NatsServer.Run();
        await using var published = await PublishedMatches.StartAsync("grpc", "--relay", server.Match());
        await published.PublishAsync(0);
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        using var agent = new Ends();
        var running = agent.RunOnAsync(game, new SubscribeOptions { Start = StartPosition.Oldest, Follow = true });
        for (var match = 0; match < Matches; match++)
        {
            if (match > 0) await published.PublishAsync(match);
            await published.EndAsync();
            Assert.True(await agent.Ended.WaitAsync(Limit));
        }
        published.Stop();
        await running.WaitAsync(Limit);
        Assert.Equal(
            Enumerable.Range(0, Matches).Select(match => (PublishedMatches.LoopsOf(match)[^1], 1 + (uint)match)), agent.Told);
    }

    [NatsFact]
    public async Task Others_EndWithTheirMatch()
    {
        using var server = NatsServer.Run();
        await using var published = await PublishedMatches.StartAsync("grpc", "--relay", server.Match());
        await published.PublishAsync(0);
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var loops = new List<uint>();
        await foreach (var frame in game.Frames(Every))
        {
            loops.Add(frame.GameLoop);
            if (loops.Count < PublishedMatches.Frames) continue;
            await published.EndAsync();
            await published.PublishAsync(1);
        }
        Assert.Equal(PublishedMatches.LoopsOf(0), loops);
    }

    /// <summary>Notes how matches end.</summary>
    private sealed class Ends : Agent, IDisposable
    {
        /// <summary>Released at the end of each match.</summary>
        public SemaphoreSlim Ended { get; } = new(0);

        public List<(uint GameLoop, uint Winner)> Told { get; } = [];

        protected override ValueTask OnEnd(IReadOnlyList<PlayerResult> results)
        {
            Told.Add((Frame!.GameLoop, results[0].PlayerId));
            Ended.Release();
            return default;
        }

        public void Dispose() => Ended.Dispose();
    }
}
