using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Tests.Hub.Scheduling;

public sealed class EncoderThreadsTests : IDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);
    private readonly EncoderThreads _threads = new(fastThreads: 1);
    private readonly ManualResetEventSlim _hold = new();
    private readonly List<string> _order = [];
    private readonly List<Task> _streams = [];

    public void Dispose() => _hold.Dispose();

    [Fact]
    public async Task Add_SomeWait_TheCheapestIsFirst()
    {
        var isHeldUp = HoldUp(isSlow: false);
        await isHeldUp.WaitAsync(Limit);
        Add("expensive", 9);
        Add("cheap", 1);
        Add("as cheap, later", 1);
        Add("medium", 5);
        _hold.Set();
        await Task.WhenAll(_streams).WaitAsync(Limit);
        Assert.Equal(["cheap", "as cheap, later", "medium", "expensive"], _order);
    }

    [Fact]
    public async Task Add_ASlowStreamRuns_FastOnesDoNotWait()
    {
        await HoldUp(isSlow: true).WaitAsync(Limit);
        Add("slow", 1, isSlow: true);
        Add("fast", 100);
        await _streams[^1].WaitAsync(Limit);
        Assert.Equal(["fast"], _order);
        _hold.Set();
        await Task.WhenAll(_streams).WaitAsync(Limit);
        Assert.Equal(["fast", "slow"], _order);
    }

    [Fact]
    public async Task IsCurrent_OnAThreadOfEither_TellsThemApart()
    {
        Assert.False(_threads.IsCurrent(isSlow: false) || _threads.IsCurrent(isSlow: true));
        Assert.Equal(
            (true, false), await RunAsync(1, isSlow: false, () => (_threads.IsCurrent(false), _threads.IsCurrent(true))).WaitAsync(Limit));
        Assert.Equal(
            (false, true), await RunAsync(1, isSlow: true, () => (_threads.IsCurrent(false), _threads.IsCurrent(true))).WaitAsync(Limit));
    }

    private Task HoldUp(bool isSlow)
    {
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _streams.Add(RunAsync(0, isSlow, () =>
        {
            started.SetResult();
            _hold.Wait();
            return true;
        }));
        return started.Task;
    }

    private void Add(string name, int milliseconds, bool isSlow = false) => _streams.Add(RunAsync(milliseconds, isSlow, () =>
    {
        lock (_order) _order.Add(name);
        return true;
    }));

    private async Task<T> RunAsync<T>(int milliseconds, bool isSlow, Func<T> encode)
    {
        await _threads.TakeTurn(TimeSpan.FromMilliseconds(milliseconds), isSlow);
        return encode();
    }
}
