using System.Diagnostics;

namespace Abathur.Fuzz;

/// <summary>Fuzzes one target for a time.</summary>
internal sealed class FuzzRun(IFuzzTarget target, int seed, string folder, TextWriter output)
{
    private const int MaxFindings = 10;
    private static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(2);
    private readonly Random _random = new(seed);
    private readonly HashSet<string> _found = [];

    /// <summary>Inputs so far.</summary>
    public long Inputs { get; private set; }

    /// <summary>Different findings.</summary>
    public int Findings => _found.Count;

    /// <summary>Inputs that gave something new.</summary>
    public int Kept { get; private set; }

    /// <summary>Mutates until the time is over; the seeds are all run in any case.</summary>
    public void Run(TimeSpan budget)
    {
        using var watchdog = new Watchdog(
            input => Tell(new Finding(target.Name, input, $"hangs: more than {Watchdog.Limit.TotalSeconds} s", "")));
        var corpus = new Corpus(_random);
        var mutator = new Mutator(_random, target.Tokens, target.MaxBytes);
        var clock = Stopwatch.StartNew();
        foreach (var input in target.Seeds(_random)) Take(input, corpus, watchdog);
        while (clock.Elapsed < budget && Findings < MaxFindings) Take(mutator.Mutate(corpus.Pick(), corpus.Pick()), corpus, watchdog);
        Kept = corpus.Count;
    }

    /// <summary>What is wrong with an input; null if nothing is.</summary>
    public static Finding? Try(IFuzzTarget target, byte[] input, out int outcome)
    {
        outcome = 0;
        var clock = Stopwatch.StartNew();
        try
        {
            outcome = target.Run(input);
            if (clock.Elapsed <= MaxTime) return null;
            // Once more: it may have been the machine.
            clock.Restart();
            target.Run(input);
            return clock.Elapsed <= MaxTime
                ? null
                : new Finding(target.Name, input, $"{input.Length} bytes take {clock.Elapsed.TotalSeconds:0.0} s", "");
        }
        catch (Exception e)
        {
            return new Finding(target.Name, input, $"{e.GetType().Name}: {e.Message.ReplaceLineEndings(" ")}", e.ToString());
        }
    }

    private void Take(byte[] input, Corpus corpus, Watchdog watchdog)
    {
        Inputs++;
        watchdog.Begin(input);
        if (Try(target, input, out var outcome) is not { } finding)
        {
            corpus.Add(input, outcome);
        }
        else if (_found.Add(Kind(finding)))
        {
            Tell(Shrink(finding, watchdog));
        }
        watchdog.End();
    }

    private void Tell(Finding finding) => finding.Tell(output, finding.Save(folder));

    /// <summary>The same finding with as little input as a short search gives.</summary>
    private Finding Shrink(Finding finding, Watchdog watchdog)
    {
        var kind = Kind(finding);
        for (var size = finding.Input.Length / 2; size > 0; size /= 2)
        {
            for (var at = 0; at + size <= finding.Input.Length && finding.Input.Length / size < 200;)
            {
                byte[] shorter = [.. finding.Input[..at], .. finding.Input[(at + size)..]];
                watchdog.Begin(shorter);
                if (Try(target, shorter, out _) is { } same && Kind(same) == kind) finding = same;
                else at += size;
            }
        }
        return finding;
    }

    /// <summary>
    /// Numbers in a message differ from input to input; the finding is the same. So it is when the compiler has inlined the method that
    /// failed: what a target itself
    /// has found is told by its message alone.
    /// </summary>
    private static string Kind(Finding finding)
    {
        var frame = finding.What.StartsWith(nameof(FuzzFailureException), StringComparison.Ordinal)
            ? ""
            : finding.Details.Split('\n').FirstOrDefault(line => line.TrimStart().StartsWith("at ", StringComparison.Ordinal)) ?? "";
        var text = string.Concat(finding.What.Where(each => !char.IsAsciiDigit(each)));
        return text[..Math.Min(text.Length, 60)] + frame;
    }
}
