using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;
using Result = SC2APIProtocol.Result;

namespace Abathur.Client.Tests;

/// <summary>One real daemon and many matches: readers that follow them, and requests for one of them.</summary>
public class MatchesTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private static readonly SubscribeOptions Following = new()
    {
        Policy = SubscribePolicy.Every,
        Encoding = FrameEncoding.Columns,
        Compression = FrameCompression.ZstdStream,
        Start = StartPosition.Oldest,
        Follow = true,
        // Without the acknowledgements of each match, its third frame does not come.
        Credits = 2,
    };

    [Theory]
    [InlineData("grpc", FrameEncoding.Proto, FrameCompression.None)]
    [InlineData("grpc", FrameEncoding.Columns, FrameCompression.ZstdStream)]
    [InlineData("socket", FrameEncoding.Json, FrameCompression.None)]
    [InlineData("socket", FrameEncoding.Proto, FrameCompression.BrotliStream)]
    [InlineData("socket", FrameEncoding.Columns, FrameCompression.ZstdStream)]
    public async Task Follow_GivesEachFrameOfEachMatchOnce(string transport, FrameEncoding encoding, FrameCompression compression)
    {
        await using var published = await PublishedMatches.StartAsync(transport);
        var options = Following with { Encoding = encoding, Compression = compression };
        await using var frames = published.Game.Frames(options).GetAsyncEnumerator();
        var runs = new List<string>();
        var carried = new FrameSequence();
        for (var match = 0; match < 3; match++)
        {
            await published.PublishAsync(match);
            var expected = new FrameSequence();
            var sequence = 0ul;
            foreach (var observation in PublishedMatches.Of(match))
            {
                var frame = await NextAsync(frames);
                if (sequence == 0) runs.Add(frame.RunId);
                var loop = observation.Observation.GameLoop;
                Assert.Equal((++sequence, loop, runs[^1]), (frame.Sequence, frame.GameLoop, frame.RunId));
                Assert.Equal((0ul, false, false), (frame.Dropped, frame.Reconnected, frame.SkippedEventsIncomplete));
                UnitAssert.Equal(observation, frame, isOrdered: false);
                // The first frame of a match has none, although its units have changed since the last match.
                Assert.Equal(Events(expected.Next(observation.ToByteArray(), loop)), Events(frame));
                var others = Events(carried.Next(observation.ToByteArray(), loop));
                if (sequence == 1 && match > 0) Assert.NotEmpty(others);
            }
            var about = await published.Game.MatchAsync();
            Assert.Equal((runs[^1], $"map {match}"), (about.RunId, about.MapName));
            await published.EndAsync();
        }
        Assert.Equal(3, runs.Distinct().Count());
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task Follow_WithABrokenConnection_GoesOnInTheMatchAndInTheNextOne(string transport)
    {
        await using var published = await PublishedMatches.StartAsync(transport);
        using var relay = new BreakingRelay(published.AddressOf(transport));
        await using var game = await AbathurGame.ConnectAsync($"{transport}://{relay.Address}");
        await published.PublishAsync(0, to: 3);
        await using var frames = game.Frames(Following with { Credits = 1 }).GetAsyncEnumerator();
        for (var sequence = 1ul; sequence <= 3; sequence++) Assert.Equal(sequence, (await NextAsync(frames)).Sequence);
        relay.Break();
        await published.PublishAsync(0, from: 3, to: 5);
        var frame = await NextAsync(frames);
        Assert.Equal((4ul, true, false, 0ul), (frame.Sequence, frame.Reconnected, frame.SkippedEventsIncomplete, frame.Dropped));
        frame = await NextAsync(frames);
        Assert.Equal((5ul, false), (frame.Sequence, frame.Reconnected));
        var former = frame.RunId;
        relay.Break();
        await published.PublishAsync(0, from: 5);
        await published.EndAsync();
        // It has the same game loops: those that were read of the match before do not count.
        await published.PublishAsync(0);
        for (var sequence = 1ul; sequence <= PublishedMatches.Frames; sequence++)
        {
            frame = await NextAsync(frames);
            // How many frames of the former match were missed is not known.
            Assert.Equal((sequence, sequence == 1, sequence == 1), (frame.Sequence, frame.Reconnected, frame.SkippedEventsIncomplete));
            Assert.Equal((0ul, true), (frame.Dropped, frame.RunId != former));
        }
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task MatchThatIsOver_IsReadByItsRun(string transport)
    {
        await using var published = await PublishedMatches.StartAsync(transport);
        var game = published.Game;
        await published.PublishAsync(0);
        await game.PlotAsync("threat", 0.5, "Bot");
        await published.EndAsync();
        await published.PublishAsync(1, to: 1);
        await published.WaitForMatchAsync();
        var matches = await game.MatchesAsync();
        var loops = PublishedMatches.LoopsOf(0);
        Assert.Equal([MatchState.MatchOver, MatchState.MatchRunning], matches.Select(each => each.State));
        Assert.Equal(["map 0", "map 1"], matches.Select(each => each.Match.MapName));
        Assert.Equal(((ulong)PublishedMatches.Frames, loops[^1]), (matches[0].Frames, matches[0].LastGameLoop));
        Assert.Equal(Result.Victory, Assert.Single(matches[0].Results).Result);
        Assert.InRange(matches[0].EndedUnixNs, matches[0].Match.BeganUnixNs, matches[1].Match.BeganUnixNs);

        var run = matches[0].Match.RunId;
        Assert.Equal("map 0", (await game.MatchAsync(run)).MapName);
        Assert.Equal(run, (await game.StatusAsync(run)).Match.RunId);
        Assert.Equal(matches[1].Match.RunId, (await game.StatusAsync()).Match.RunId);
        Assert.Equal(loops[0], (await game.TimelineAsync(runId: run)).GameLoops[0]);
        Assert.Equal("threat", Assert.Single(await game.PlotsAsync(runId: run)).Name);
        Assert.Empty(await game.PlotsAsync());
        Assert.Equal(loops[2], (await game.FrameAtAsync(loops[2], run)).GameLoop);
        var read = new List<(string, uint)>();
        await foreach (var frame in game.Frames(Following with { RunId = run, Follow = false })) read.Add((frame.RunId, frame.GameLoop));
        Assert.Equal(loops.Select(loop => (run, loop)), read);

        foreach (var acting in Acting(game, run)) await RefusedAsync(RequestErrorCode.FailedPrecondition, acting);
        foreach (var acting in Acting(game, "unknown")) await RefusedAsync(RequestErrorCode.NotFound, acting);
        await RefusedAsync(RequestErrorCode.NotFound, () => game.TimelineAsync(runId: "unknown"));
        await RefusedAsync(RequestErrorCode.NotFound, () => game.MatchAsync("unknown"));
        await RefusedAsync(RequestErrorCode.NotFound, () => game.FrameAtAsync(loops[2], "unknown"));
    }

    [Fact]
    public async Task AgentThatFollows_HasAStartAndAnEndForEachMatch()
    {
        await using var published = await PublishedMatches.StartAsync("socket");
        await published.PublishAsync(0);
        var agent = new Recorder(published);
        await agent.RunOnAsync(published.Game, Following with { MaxFrames = 3 * PublishedMatches.Frames }).WaitAsync(Limit);
        string[] steps = [.. Enumerable.Range(1, PublishedMatches.Frames).Select(sequence => $"step {sequence}")];
        Assert.Equal(["start", .. steps, "end 1", "start", .. steps, "end 2", "start", .. steps, "drawn", "end 3"], agent.Calls);
    }

    // The units of columns, and of kept frames, have another order.
    private static IEnumerable<string> Events(GameFrame frame) => frame.Events.Select(NaiveEvents.Text).Order(StringComparer.Ordinal);

    private static IEnumerable<Func<Task>> Acting(AbathurGame game, string run) =>
    [
        () => game.ActAsync([], runId: run), () => game.DrawAsync([], runId: run), () => game.PlotAsync("threat", 1, runId: run),
        () => game.QueryAsync(new RequestQuery(), run),
    ];

    private static async Task RefusedAsync(RequestErrorCode code, Func<Task> request) =>
        Assert.Equal(code, (await Assert.ThrowsAsync<RequestException>(request)).Code);

    private static async Task<GameFrame> NextAsync(IAsyncEnumerator<GameFrame> frames)
    {
        Assert.True(await frames.MoveNextAsync().AsTask().WaitAsync(Limit));
        return frames.Current;
    }

    /// <summary>In the last step of the first two matches, of which one is lost, they are over: it is too late to draw. The next one begins
    /// when the agent has got the end.</summary>
    private sealed class Recorder(PublishedMatches published) : Agent
    {
        private int _matches;

        public List<string> Calls { get; } = [];

        protected override ValueTask OnStart()
        {
            Calls.Add("start");
            return default;
        }

        protected override async ValueTask OnStep(GameFrame frame)
        {
            Calls.Add($"step {frame.Sequence}");
            if (frame.Sequence < PublishedMatches.Frames) return;
            if (++_matches < 3) await published.EndAsync(isLost: _matches == 2);
            await DrawAsync([Draw.Point(1, 1)]);
            Calls.Add("drawn");
        }

        protected override async ValueTask OnEnd(IReadOnlyList<PlayerResult> results)
        {
            Calls.Add($"end {Assert.Single(results).PlayerId}");
            if (_matches < 3) await published.PublishAsync(_matches);
        }
    }
}
