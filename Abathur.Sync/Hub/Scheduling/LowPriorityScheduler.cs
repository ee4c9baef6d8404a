using System.Collections.Concurrent;

namespace Abathur.Sync.Hub.Scheduling;

/// <summary>
/// Runs tasks, and what they await, on one thread of low priority: expensive work on behalf of watching clients uses at most one processor
/// for each kind of work, and only if nothing else needs it.
/// </summary>
internal sealed class LowPriorityScheduler : TaskScheduler
{
    private readonly BlockingCollection<Task> _tasks = [];
    private readonly Lazy<Thread> _thread;

    private readonly string _name;

    private LowPriorityScheduler(string name)
    {
        _name = name;
        _thread = new Lazy<Thread>(Start);
    }

    /// <summary>For the recordings that the dashboard plays. Its thread starts with the first task.</summary>
    public static LowPriorityScheduler Playbacks { get; } = new("playbacks");

    private static LowPriorityScheduler ActorsHistory { get; } = new("history");

    private static LowPriorityScheduler WatchersHistory { get; } = new("watchers' history");

    /// <summary>For reading whole recordings.</summary>
    public static LowPriorityScheduler Overviews { get; } = new("overviews");

    /// <summary>For matches that are shown later.</summary>
    public static LowPriorityScheduler Delays { get; } = new("delays");

    /// <summary>For queries that the daemon answers itself.</summary>
    public static LowPriorityScheduler Queries { get; } = new("queries");

    /// <inheritdoc/>
    public override int MaximumConcurrencyLevel => 1;

    /// <summary>For reading the history of matches: clients that may only watch do not delay the others.</summary>
    /// <param name="mayAct">Whether the reader may act.</param>
    public static LowPriorityScheduler HistoryFor(bool mayAct) => mayAct ? ActorsHistory : WatchersHistory;

    /// <summary>Runs an asynchronous action on the thread.</summary>
    public Task RunAsync(Func<Task> action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();

    /// <inheritdoc cref="RunAsync(Func{Task})"/>
    public Task<T> RunAsync<T>(Func<Task<T>> action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();

    /// <inheritdoc/>
    protected override void QueueTask(Task task)
    {
        _tasks.Add(task);
        _ = _thread.Value;
    }

    /// <inheritdoc/>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        !taskWasPreviouslyQueued && Thread.CurrentThread == _thread.Value && TryExecuteTask(task);

    /// <inheritdoc/>
    protected override IEnumerable<Task> GetScheduledTasks() => _tasks.ToArray();

    private Thread Start()
    {
        var thread = new Thread(Run) { Name = _name, IsBackground = true };
        thread.Start();
        return thread;
    }

    private void Run()
    {
        LowPriorityThread.Enter();
        foreach (var task in _tasks.GetConsumingEnumerable()) TryExecuteTask(task);
    }
}
