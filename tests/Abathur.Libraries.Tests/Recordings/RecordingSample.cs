using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Recordings.Tests;

/// <summary>Small recordings to test with.</summary>
internal static class RecordingSample
{
    public static RecordingMatch Match { get; } = new()
    {
        MatchId = "sample",
        PlayerId = 2,
        MapName = "Testmap LE",
        GameVersion = "5.0.14",
        TickHz = 16,
        Source = "synth",
        Simulated = true,
    };

    /// <summary>A serialized observation of about so many bytes, different for each loop.</summary>
    public static byte[] Observation(uint gameLoop, int bytes = 200)
    {
        var noise = new byte[bytes];
        new Random((int)gameLoop).NextBytes(noise);
        return new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = gameLoop,
                RawData = new ObservationRaw { MapState = new MapState { Creep = new ImageData { Data = ByteString.CopyFrom(noise) } } },
            },
        }.ToByteArray();
    }

    /// <summary>A recording with one observation for each of these loops, captured at loop * 1 s.</summary>
    public static byte[] Write(IEnumerable<uint> loops, RecordingOptions? options = null, int bytes = 200, bool hasGameInfo = true)
    {
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, Match, options, leaveOpen: true))
        {
            if (hasGameInfo) writer.WriteGameInfo(0, new ResponseGameInfo { MapName = "Testmap LE" }.ToByteArray());
            foreach (var loop in loops) writer.WriteObservation(loop, loop * 1_000_000_000L, Observation(loop, bytes));
        }
        return output.ToArray();
    }

    public static RecordingReader Open(byte[] file) => Open(file, file.Length);

    /// <summary>Opens what a cut left of a file.</summary>
    public static RecordingReader Open(byte[] file, int length) => new(new Abathur.Mcap.McapReader(new MemoryStream(file, 0, length)));

    public static List<uint> ReadLoops(RecordingReader reader)
    {
        var loops = new List<uint>();
        while (reader.ReadNext(out var observation)) loops.Add(observation.GameLoop);
        return loops;
    }
}
