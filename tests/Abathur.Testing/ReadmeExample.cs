using System.Diagnostics;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Abathur.Testing;

/// <summary>The example in a README: the first block of C#, and behind it a block of text with what it prints.</summary>
/// <param name="Code">A whole program.</param>
/// <param name="Output">What it prints.</param>
public sealed partial record ReadmeExample(string Code, string Output)
{
    private const string ImplicitUsings =
        "global using System; global using System.Collections.Generic; global using System.IO; global using System.Linq; "
        + "global using System.Net.Http; global using System.Threading; global using System.Threading.Tasks;";

    /// <summary>Reads it from a README.</summary>
    /// <exception cref="FormatException">The README has no such blocks.</exception>
    public static ReadmeExample From(string readme)
    {
        var found = Blocks().Match(File.ReadAllText(readme).ReplaceLineEndings("\n"));
        if (!found.Success) throw new FormatException($"{readme} has no block of csharp that is followed by a block of text");
        return new ReadmeExample(found.Groups[1].Value, found.Groups[2].Value);
    }

    /// <summary>Compiles each block of C# of a page as it is printed, as a program in a project of `dotnet new console`.</summary>
    public static void CompileAll(string page)
    {
        foreach (Match block in Programs().Matches(File.ReadAllText(page).ReplaceLineEndings("\n")))
        {
            using var program = new MemoryStream();
            new ReadmeExample(block.Groups[1].Value, "").Compile("example", program);
        }
    }

    /// <summary>Compiles it against the assemblies of this test run, and runs it in a process of its own.</summary>
    /// <param name="folder">Where it runs.</param>
    /// <returns>What it printed, errors included.</returns>
    public string Run(string folder)
    {
        // Beside the test's assemblies, which it needs; the process id keeps it apart from a second run.
        var program = Path.Combine(AppContext.BaseDirectory, $"readme-example-{Environment.ProcessId}.dll");
        try
        {
            using (var file = File.Create(program)) Compile(Path.GetFileNameWithoutExtension(program), file);
            return Start(program, folder);
        }
        finally
        {
            File.Delete(program);
        }
    }

    private void Compile(string name, Stream program)
    {
        var references = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);
        var compilation = CSharpCompilation.Create(
            name,
            [CSharpSyntaxTree.ParseText(ImplicitUsings), CSharpSyntaxTree.ParseText(Code)],
            references.Select(path => MetadataReference.CreateFromFile(path)),
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));
        var result = compilation.Emit(program);
        Assert.True(result.Success, string.Join('\n', result.Diagnostics.Where(each => each.Severity == DiagnosticSeverity.Error)));
    }

    private static string Start(string program, string folder)
    {
        var tests = Directory.GetFiles(AppContext.BaseDirectory, "*.Tests.deps.json").Single()[..^".deps.json".Length];
        var start = new ProcessStartInfo(
            "dotnet", ["exec", "--depsfile", tests + ".deps.json", "--runtimeconfig", tests + ".runtimeconfig.json", program])
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (output + errors.Result).ReplaceLineEndings("\n");
    }

    [GeneratedRegex(@"```csharp\n(.*?)```.*?```text\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Blocks();

    [GeneratedRegex(@"```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Programs();
}
