using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Tests.Hub.Scheduling;

/// <summary>Alone, because it keeps all processors busy for a moment.</summary>
[Collection(nameof(Alone))]
public class ProcessorWaitTests
{
    [LinuxFact]
    public void Thread_BesideMoreThreadsThanProcessors_WaitsLong()
    {
        var isOver = false;
        var others = Enumerable.Range(0, 3 * Environment.ProcessorCount).Select(_ => new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
            }
        })).ToList();
        var hasWaited = false;
        var waiting = new Thread(() =>
        {
            LowPriorityThread.Enter();
            var wait = ProcessorWait.OfThisThread()!;
            var since = Environment.TickCount64;
            while (!(hasWaited = wait.IsLong()) && Environment.TickCount64 - since < 20_000)
            {
            }
        });
        foreach (var each in others) each.Start();
        waiting.Start();
        waiting.Join();
        Volatile.Write(ref isOver, true);
        foreach (var each in others) each.Join();
        Assert.True(hasWaited);
    }
}
