namespace Abathur.Sync.Diagnostics;

/// <summary>Checks of options: each returns what is wrong, or null.</summary>
internal static class OptionProblems
{
    /// <summary>The first problem; null without one.</summary>
    public static string? First(params ReadOnlySpan<string?> problems)
    {
        foreach (var problem in problems)
        {
            if (problem is not null) return problem;
        }
        return null;
    }

    /// <summary>A number is in a range, both ends included.</summary>
    public static string? Range(string name, long value, long min, long max = long.MaxValue)
    {
        if (value >= min && value <= max) return null;
        return max == long.MaxValue ? $"{name} is {value}; it must be at least {min}" : $"{name} is {value}; it must be {min} to {max}";
    }

    /// <summary>A time is more than 0 and at most what a timer can wait.</summary>
    public static string? Time(string name, TimeSpan value) =>
        value > TimeSpan.Zero && value.TotalMilliseconds < uint.MaxValue - 1
            ? null
            : $"{name} is {value}; it must be more than 0 and less than 49 days";
}
