namespace Abathur.Benchmarks.Match;

/// <summary>Where a match run stands. Called between timed sections only.</summary>
internal interface IMatchProgress
{
    /// <summary>Says how much there is to do, once that is known, and what of it is done.</summary>
    /// <param name="what">What is being done: "checking cbor".</param>
    /// <param name="done">Seconds of work done, as estimated beforehand.</param>
    /// <param name="total">Seconds of work in all, as estimated.</param>
    void Report(string what, double done, double total);
}
