namespace Abathur.Fuzz;

/// <summary>Something that takes bytes from outside, and what is known to be right about it.</summary>
internal interface IFuzzTarget : IDisposable
{
    /// <summary>As the command line calls it.</summary>
    string Name { get; }

    /// <summary>Bytes that mean something there: mutations put them in.</summary>
    IReadOnlyList<byte[]> Tokens { get; }

    /// <summary>Longest input, in bytes.</summary>
    int MaxBytes { get; }

    /// <summary>Valid inputs, from which mutations start.</summary>
    IEnumerable<byte[]> Seeds(Random random);

    /// <summary>Takes an input.</summary>
    /// <returns>What became of it, in short: inputs that give something new are kept and mutated further.</returns>
    /// <exception cref="FuzzFailureException">What came out is wrong. Any other exception is a finding as well.</exception>
    int Run(byte[] input);
}
