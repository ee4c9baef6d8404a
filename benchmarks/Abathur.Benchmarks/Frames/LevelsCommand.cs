using Abathur.Mcap;
using Abathur.Recordings;

namespace Abathur.Benchmarks;

/// <summary><c>levels DIR</c>: writes the observation of each level to <c>DIR/LEVEL.binpb</c>, for runners in other languages.</summary>
internal static class LevelsCommand
{
    /// <summary>Runs the command line. Exit codes: 0 done, 1 failed, 2 wrong usage.</summary>
    public static int Invoke(string[] args, TextWriter error)
    {
        if (args is not [var folder] || folder.StartsWith('-'))
        {
            error.WriteLine("levels: usage: levels DIR");
            return 2;
        }
        try
        {
            Directory.CreateDirectory(folder);
            foreach (var level in Enum.GetValues<ComplexityLevel>())
            {
                var name = level.ToString().ToLowerInvariant();
                File.WriteAllBytes(Path.Combine(folder, $"{(int)level + 1}-{name}.binpb"), ComplexityLevels.Observation(level));
            }
            return 0;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or McapException or RecordingException)
        {
            error.WriteLine($"levels: {e.Message}");
            return 1;
        }
    }
}
