namespace Abathur.Testing;

/// <summary>Kinds of tests: values of the trait <see cref="Trait"/>. The Python tests have markers of the same names.</summary>
public static class Kinds
{
    /// <summary>The trait's name.</summary>
    public const string Trait = "Kind";

    /// <summary>Asserts on time, or on memory of the whole process. Runs by itself after the others, and is repeated before it
    /// fails.</summary>
    public const string Measured = "measured";

    /// <summary>The programs that measure, in full. Like the kinds below only in <c>dotnet make.cs test --all</c>.</summary>
    public const string Benchmarks = "benchmarks";

    /// <summary>Whole matches, and products of parameters, of which one is tested in each run.</summary>
    public const string Matrix = "matrix";
}
