// Gives mutated input to everything that reads what comes from outside: dotnet make.cs fuzz
using System.Globalization;
using Abathur.Fuzz;
using Abathur.Fuzz.Targets;

FuzzOptions options;
try
{
    options = FuzzOptions.Parse(args);
    foreach (var name in options.Targets.Where(name => !FuzzTargets.Names.Contains(name) && name != PlantedTarget.TargetName))
    {
        throw new FormatException($"there is no target {name}; there are {string.Join(", ", FuzzTargets.Names)}");
    }
}
catch (FormatException e)
{
    Console.Error.WriteLine($"fuzz: {e.Message}\n{FuzzOptions.Usage}");
    return 2;
}
if (options.List)
{
    foreach (var name in FuzzTargets.Names) Console.WriteLine(name);
    return 0;
}

var told = Console.Out;
if (options.Replay is { } file)
{
    using var target = FuzzTargets.Create(options.Targets[0], options.Python);
    using var watchdog = new Watchdog(_ => told.WriteLine($"{target.Name}: hangs: more than {Watchdog.Limit.TotalSeconds} s"));
    var input = File.ReadAllBytes(file);
    Finding? finding = null;
    for (var i = 0; i < options.Times && finding is null; i++)
    {
        watchdog.Begin(input);
        finding = FuzzRun.Try(target, input, out _);
    }
    watchdog.End();
    told.WriteLine(finding is null ? $"{target.Name}: nothing wrong" : $"{target.Name}: {finding.What}\n{finding.Details}");
    return finding is null ? 0 : 1;
}

var names = options.Targets.Count > 0
    ? options.Targets
    : [.. FuzzTargets.Names.Where(name => options.Python.Length > 0 || !FuzzTargets.InPython.Contains(name))];
told.WriteLine($"fuzzing {names.Count} targets for {options.Seconds.ToString(CultureInfo.InvariantCulture)} s in all, seed {options.Seed}");
if (options.Targets.Count == 0 && options.Python.Length == 0)
    told.WriteLine($"{string.Join(", ", FuzzTargets.InPython)}: skipped, they need --python PATH");
var (inputs, findings) = (0L, 0);
foreach (var name in names)
{
    using var target = FuzzTargets.Create(name, options.Python);
    var run = new FuzzRun(target, options.Seed, options.Save, told);
    run.Run(TimeSpan.FromSeconds(options.Seconds / names.Count));
    told.WriteLine(string.Create(
        CultureInfo.InvariantCulture, $"{name,-15} {run.Inputs,10:N0} inputs {run.Kept,6:N0} kept {run.Findings,3} findings"));
    inputs += run.Inputs;
    findings += run.Findings;
}
told.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{inputs:N0} inputs, {findings} findings"));
return findings == 0 ? 0 : 1;
