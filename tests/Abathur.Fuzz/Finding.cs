using System.Security.Cryptography;

namespace Abathur.Fuzz;

/// <summary>An input that a target does not stand.</summary>
/// <param name="Target">Name of the target.</param>
/// <param name="Input">The input.</param>
/// <param name="What">What happened, in one line.</param>
/// <param name="Details">The whole of it.</param>
internal sealed record Finding(string Target, byte[] Input, string What, string Details)
{
    /// <summary>Name of the file that an input is saved in.</summary>
    public string FileName => $"{Target}-{Convert.ToHexStringLower(SHA256.HashData(Input))[..12]}.bin";

    /// <summary>Writes the input into a folder and returns its path.</summary>
    public string Save(string folder)
    {
        Directory.CreateDirectory(folder);
        var path = Path.Combine(folder, FileName);
        File.WriteAllBytes(path, Input);
        return path;
    }

    /// <summary>What a person is told.</summary>
    public void Tell(TextWriter output, string path)
    {
        output.WriteLine($"  {Target}: {What}");
        output.WriteLine($"    saved as {path}; again with: dotnet make.cs fuzz --replay {path} {Target}");
    }
}
