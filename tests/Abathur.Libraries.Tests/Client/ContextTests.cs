namespace Abathur.Client.Tests;

/// <summary>The library needs no synchronization context, also where it is called in one.</summary>
public class ContextTests
{
    private const int Frames = 100;

    [Theory]
    [InlineData("socket")]
    [InlineData("grpc")]
    public async Task CallsInAContext_PostNothingToIt(string transport)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "500");
        var context = new CountingContext();
        var game = await context.Run(() => AbathurGame.ConnectAsync(daemon.Address(transport)));
        var frames = context.Run(() => game.Frames(new SubscribeOptions { Policy = SubscribePolicy.Every }).GetAsyncEnumerator());
        for (var i = 0; i < Frames; i++)
        {
            var isThere = await context.Run(() => frames.MoveNextAsync());
            Assert.True(isThere);
            if (i % 25 == 0) await context.Run(() => game.StatusAsync());
        }
        await context.Run(() => frames.DisposeAsync());
        await context.Run(() => game.DisposeAsync());
        Assert.Equal(0, context.Posts);
    }

    [Fact]
    public async Task CodeOfTheUser_ContinuesInItsContext()
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "500");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        var context = new CountingContext();
        var count = await context.Run(async () =>
        {
            var read = 0;
            await foreach (var frame in game.Frames(new SubscribeOptions { Policy = SubscribePolicy.Every, MaxFrames = 3 }))
            {
                Assert.Same(context, SynchronizationContext.Current);
                read++;
            }
            return read;
        });
        Assert.Equal(3, count);
        Assert.NotEqual(0, context.Posts);
    }

    private sealed class CountingContext : SynchronizationContext
    {
        private int _posts;

        public int Posts => Volatile.Read(ref _posts);

        public override void Post(SendOrPostCallback d, object? state)
        {
            Interlocked.Increment(ref _posts);
            ThreadPool.QueueUserWorkItem(_ => Run(() =>
            {
                d(state);
                return true;
            }));
        }

        /// <summary>Begins something in the context.</summary>
        public T Run<T>(Func<T> begin)
        {
            var before = Current;
            SetSynchronizationContext(this);
            try
            {
                return begin();
            }
            finally
            {
                SetSynchronizationContext(before);
            }
        }
    }
}
