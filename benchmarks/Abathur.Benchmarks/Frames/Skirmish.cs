using System.Runtime.CompilerServices;
using Abathur.Recordings;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks;

/// <summary>The committed recording, as input of all benchmarks.</summary>
internal static class Skirmish
{
    public static string Path { get; } = Find();

    /// <summary>A frame out of the middle of the fight: <c>ResponseObservation</c> in protobuf.</summary>
    public static byte[] Observation()
    {
        using var recording = RecordingReader.Open(Path);
        recording.SeekToGameLoop((recording.FirstGameLoop + recording.LastGameLoop) / 2);
        return recording.ReadNext(out var observation)
            ? observation.Payload.ToArray()
            : throw new InvalidDataException($"{Path} has no observation there");
    }

    /// <summary>All frames.</summary>
    public static List<byte[]> Observations()
    {
        using var recording = RecordingReader.Open(Path);
        var observations = new List<byte[]>();
        while (recording.ReadNext(out var observation)) observations.Add(observation.Payload.ToArray());
        return observations;
    }

    /// <summary>The first frame: the least complex of the match.</summary>
    public static byte[] FirstObservation()
    {
        using var recording = RecordingReader.Open(Path);
        return recording.ReadNext(out var observation)
            ? observation.Payload.ToArray()
            : throw new InvalidDataException($"{Path} has no observations");
    }

    /// <summary>The last frame.</summary>
    public static byte[] LastObservation()
    {
        using var recording = RecordingReader.Open(Path);
        recording.SeekToGameLoop(recording.LastGameLoop);
        return recording.ReadNext(out var observation)
            ? observation.Payload.ToArray()
            : throw new InvalidDataException($"{Path} has no observations");
    }

    /// <summary>An observation of one unit and nothing else: the first own unit of the first frame.</summary>
    public static byte[] OneUnit()
    {
        var first = ResponseObservation.Parser.ParseFrom(FirstObservation()).Observation;
        return new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = first.GameLoop,
                RawData = new ObservationRaw { Units = { first.RawData.Units.First(unit => unit.Alliance == Alliance.Self) } },
            },
        }.ToByteArray();
    }

    // BenchmarkDotNet runs from a folder of its own making, so the way goes from this file.
    private static string Find([CallerFilePath] string here = "") =>
        System.IO.Path.GetFullPath(
            System.IO.Path.Combine(System.IO.Path.GetDirectoryName(here)!, "..", "..", "..", "recordings", "skirmish.mcap"));
}
