namespace Abathur.Fuzz;

/// <summary>What targets check.</summary>
internal static class Check
{
    /// <summary>Fails unless it is true.</summary>
    public static void That(bool isTrue, string otherwise)
    {
        if (!isTrue) throw new FuzzFailureException(otherwise);
    }

    /// <summary>Runs something on this thread that may allocate at most so many bytes.</summary>
    public static T Within<T>(long bytes, Func<T> action)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        var result = action();
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        That(allocated <= bytes, $"{allocated} bytes were allocated; {bytes} are allowed for this input");
        return result;
    }

    /// <summary>The order of magnitude of a number, for what a target tells of a run.</summary>
    public static int Bucket(long number) => number <= 0 ? 0 : 64 - long.LeadingZeroCount(number) is var bits ? (int)bits : 0;
}
