namespace Abathur.Testing;

/// <summary>Measures bytes that are allocated, as often as needed.</summary>
/// <remarks>
/// One measurement depends on the runtime: a gen-2 collection empties the array pools, recompiled code fills caches, an await may resume on
/// another thread. So an action is measured several times, and the smallest figure counts. What the code itself allocates is in all of
/// them.
/// </remarks>
public static class Allocated
{
    private const int MaxTries = 5;

    /// <summary>Asserts that an action allocates at most so many bytes on this thread in one of five runs.</summary>
    /// <param name="maxBytes">Largest number of bytes that passes.</param>
    /// <param name="action">What is measured. It must do the same each time.</param>
    public static void AtMost(long maxBytes, Action action) =>
        Assert.InRange(Least(maxBytes, action), 0, maxBytes);

    /// <summary>As <see cref="AtMost"/>, for an action that may resume on other threads: the bytes of the whole process count.</summary>
    public static async Task AtMostInProcessAsync(long maxBytes, Func<Task> action)
    {
        var least = long.MaxValue;
        for (var i = 0; i < MaxTries && least > maxBytes; i++)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            await action();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }
        Assert.InRange(least, 0, maxBytes);
    }

    /// <summary>The smallest number of bytes that an action allocated on this thread; it runs again only where that is more than a
    /// limit.</summary>
    public static long Least(long maxBytes, Action action)
    {
        var least = long.MaxValue;
        for (var i = 0; i < MaxTries && least > maxBytes; i++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            action();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }
        return least;
    }
}
