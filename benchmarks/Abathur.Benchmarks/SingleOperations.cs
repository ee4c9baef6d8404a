using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Abathur.Benchmarks;

/// <summary>Runs BenchmarkDotNet. A benchmark that did not run is an error, not a row of "NA".</summary>
internal static class SingleOperations
{
    /// <summary>BenchmarkDotNet's limit of 120 s is too short for a machine that builds something else at the same time.</summary>
    private static readonly TimeSpan BuildTimeout = TimeSpan.FromMinutes(15);

    /// <param name="args">Options of BenchmarkDotNet.</param>
    /// <param name="error">Told which benchmarks did not run.</param>
    /// <returns>The exit code: 1 if a benchmark did not run.</returns>
    public static int Run(string[] args, TextWriter error)
    {
        var config = ManualConfig.Create(DefaultConfig.Instance).WithBuildTimeout(BuildTimeout);
        var failures = BenchmarkSwitcher.FromAssembly(typeof(SingleOperations).Assembly).Run(args, config).SelectMany(Failures).ToList();
        foreach (var failure in failures) error.WriteLine($"benchmarks: {failure}");
        return failures.Count == 0 ? 0 : 1;
    }

    private static IEnumerable<string> Failures(Summary summary)
    {
        foreach (var problem in summary.ValidationErrors.Where(each => each.IsCritical)) yield return problem.Message;
        foreach (var report in summary.Reports.Where(report => !report.Success))
            yield return $"{report.BenchmarkCase.DisplayInfo} did not run: {Reason(report)}";
        var missing = summary.BenchmarksCases.Length - summary.Reports.Length;
        if (missing > 0) yield return $"{missing} of {summary.BenchmarksCases.Length} benchmarks did not run after that";
    }

    private static string Reason(BenchmarkReport report)
    {
        var (generated, built) = (report.GenerateResult, report.BuildResult);
        if (!generated.IsGenerateSuccess) return $"it could not be generated: {generated.GenerateException?.Message}";
        if (built.IsBuildSuccess) return "it failed or measured nothing; its output is above";
        return $"its build failed (limit: {BuildTimeout.TotalMinutes:0} minutes): {built.ErrorMessage}".ReplaceLineEndings(" ");
    }
}
