using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Tests.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Tests.Hub;

public sealed class HubLimitsTests : IDisposable
{
    private readonly HubOptions _limits = new()
    {
        MaxEncodedStreams = 8,
        MaxEncodedStreamsPerConnection = 3,
        MaxSlowStreams = 4,
        MaxSlowStreamsPerConnection = 1,
    };
    private readonly MatchRun _run;

    public HubLimitsTests() => _run = new MatchRun(_limits, Abilities.Waiting, TimeProvider.System);

    public void Dispose() => _run.Dispose();

    [Fact]
    public void Watchers_LeaveAQuarterToClientsThatMayAct()
    {
        for (var i = 0; i < 6; i++) Assert.NotNull(Subscribe($"{i}", every: (uint)i + 1, mayAct: false));
        Assert.Null(Subscribe("6", every: 7, mayAct: false));
        Assert.NotNull(Subscribe("6", every: 7));
        Assert.NotNull(Subscribe("7", every: 8));
        Assert.Null(Subscribe("8", every: 9));
        // An existing stream is shared, and plain protobuf does not count.
        Assert.NotNull(Subscribe("9", every: 1, mayAct: false));
        Assert.NotNull(Subscribe("10", every: 9, encoding: Encoding.Proto, mayAct: false));
    }

    [Fact]
    public void OneConnection_HasItsOwnLimit()
    {
        for (var i = 1u; i <= 3; i++) Assert.NotNull(Subscribe("one", every: i));
        Assert.Null(Subscribe("one", every: 4));
        Assert.NotNull(Subscribe("other", every: 4));
        // Clients of a Unix domain socket cannot be told apart.
        for (var i = 5u; i <= 8; i++) Assert.NotNull(Subscribe(SubscriptionOptions.UnixPeer, every: i));
    }

    [Fact]
    public void SlowLevels_HaveALimitOfTheirOwn()
    {
        Assert.NotNull(Slow("a", 1, mayAct: false));
        Assert.Null(Slow("a", 2, mayAct: false));
        Assert.NotNull(Slow("b", 2, mayAct: false));
        Assert.NotNull(Slow("c", 3, mayAct: false));
        Assert.Null(Slow("d", 4, mayAct: false));
        Assert.NotNull(Slow("d", 4));
        Assert.Null(Slow("e", 5));
        Assert.NotNull(Subscribe("e", every: 5));
    }

    [Fact]
    public void AStreamThatIsLeft_MakesRoom()
    {
        var streams = Enumerable.Range(1, 8).Select(i => Subscribe($"{i}", every: (uint)i)!).ToList();
        Assert.Null(Subscribe("9", every: 9));
        streams[0].Dispose();
        Assert.NotNull(Subscribe("9", every: 9));
    }

    [Fact]
    public void TwoViews_HaveTheLimitsTogether()
    {
        var limits = new HubLimits(new HubOptions { MaxSubscriptions = 4, MaxEncodedStreams = 2 }, TimeProvider.System);
        using var live = new MatchRun(new HubShare(limits), Abilities.NotWaiting);
        using var later = new MatchRun(new HubShare(limits), Abilities.NotWaiting);
        var watcher = Options("w", 1, Encoding.Json, mayAct: false);
        var actor = Options("a", 1, Encoding.Json, mayAct: true);
        Assert.NotNull(live.Subscribe(actor));
        // The same encoding in another view needs an encoder of its own.
        Assert.NotNull(later.Subscribe(watcher));
        Assert.Null(live.Subscribe(actor with { EveryGameLoops = 2 }, out var problem));
        Assert.Equal(
            "the limit of combinations of encoding, compression, fields and game loops is reached: subscribe to one that is in use",
            problem);
        Assert.NotNull(later.Subscribe(watcher));
        // The last quarter is for clients that may act, whatever they see.
        Assert.Null(later.Subscribe(watcher, out problem));
        Assert.Equal("the limit of subscriptions is reached: try again later", problem);
        var last = live.Subscribe(actor);
        Assert.NotNull(last);
        Assert.Null(live.Subscribe(actor));
        last.Dispose();
        Assert.NotNull(live.Subscribe(actor));
    }

    [Fact]
    public void Refusal_SaysWhatToDo()
    {
        for (var i = 1u; i <= 3; i++) Subscribe("one", every: i);
        _run.Subscribe(Options("one", 4, Encoding.Json, true), out var problem);
        Assert.Equal(
            "this connection has 3 combinations of encoding, compression, fields and game loops, which is the limit: close one of them",
            problem);
    }

    private Subscription? Subscribe(string peer, uint every, Encoding encoding = Encoding.Json, bool mayAct = true) =>
        _run.Subscribe(Options(peer, every, encoding, mayAct));

    private Subscription? Slow(string peer, uint every, bool mayAct = true) =>
        _run.Subscribe(Options(peer, every, Encoding.Proto, mayAct) with { Compression = V1.Compression.Br, CompressionLevel = 11 });

    private static SubscriptionOptions Options(string peer, uint every, Encoding encoding, bool mayAct) => new()
    {
        Policy = Policy.Latest,
        Encoding = encoding,
        EveryGameLoops = every,
        MayAct = mayAct,
        BufferFrames = 1,
        Transport = "test",
        Peer = peer,
    };
}
