using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Tests.Hub.Scheduling;

public sealed class SubscriberSchedulerTests : IDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private readonly ManualResetEventSlim _hold = new();
    private readonly SubscriberScheduler _queue = new(width: 1);
    private readonly List<string> _order = [];
    private readonly List<Task> _readers = [];

    public void Dispose() => _hold.Dispose();

    [Fact]
    public async Task Add_SomeWaitForTheirTurn_LosslessGoOnFirst()
    {
        HoldUp();
        Add("latest 1", isLossless: false);
        Add("every 1", isLossless: true);
        Add("latest 2", isLossless: false);
        Add("every 2", isLossless: true);

        await LetGoAsync();

        Assert.Equal(["held up", "every 1", "every 2", "latest 1", "latest 2"], _order);
    }

    [Fact]
    public async Task Add_LosslessWithoutEnd_OthersHaveATurnNowAndThen()
    {
        HoldUp();
        Add("latest", isLossless: false);
        for (var i = 0; i < 3 * SubscriberScheduler.LosslessInARow; i++) Add("every", isLossless: true);

        await LetGoAsync();

        Assert.Equal(1 + SubscriberScheduler.LosslessInARow, _order.IndexOf("latest"));
        Assert.Equal(2 + (3 * SubscriberScheduler.LosslessInARow), _order.Count);
    }

    /// <summary>Has the queue's only turn taken until <see cref="LetGoAsync"/>.</summary>
    private void HoldUp()
    {
        var began = new ManualResetEventSlim();
        Add("held up", isLossless: false, () =>
        {
            began.Set();
            Assert.True(_hold.Wait(Limit));
        });
        Assert.True(began.Wait(Limit));
    }

    private async Task LetGoAsync()
    {
        _hold.Set();
        await Task.WhenAll(_readers).WaitAsync(Limit);
    }

    private void Add(string name, bool isLossless, Action? write = null)
    {
        var signal = new AsyncAutoResetEvent(TimeProvider.System);
        _readers.Add(ReadAsync());
        signal.Set(_queue, isLossless);

        async Task ReadAsync()
        {
            // On the queue's thread, in its order: not through the test runner's synchronization context.
            await signal.WaitAsync().ConfigureAwait(false);
            lock (_order) _order.Add(name);
            write?.Invoke();
            signal.Dispose();
        }
    }
}
