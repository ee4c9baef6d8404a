using Abathur.Recordings;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks;

/// <summary>One observation for each level of complexity. All are simulated: skirmish and elite are matches of the generator, and feature
/// layers are added to one.</summary>
internal static class ComplexityLevels
{
    private const int SmallBytes = 10_000, LateBytes = 150_000;
    // The game's largest layers are 256 pixels wide; agents that use them ask for 64 to 128.
    private const int LayerPixels = 192;

    /// <summary>The recording of the large frames, which the benchmarks' commands make where it is missing.</summary>
    public static string ElitePath { get; } =
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(Skirmish.Path)!, "..", "benchmarks", "local", "elite.mcap"));

    /// <summary>The observation of a level: a serialized <see cref="ResponseObservation"/>.</summary>
    /// <exception cref="IOException">The level needs <see cref="ElitePath"/>, which is missing.</exception>
    public static byte[] Observation(ComplexityLevel level) => level switch
    {
        ComplexityLevel.Unit => Skirmish.OneUnit(),
        ComplexityLevel.Small => Small(Skirmish.LastObservation()),
        ComplexityLevel.Middle => Skirmish.FirstObservation(),
        ComplexityLevel.Late => Late(),
        _ => WithLayers(Late()),
    };

    /// <summary>Consecutive observations of a level, for streams.</summary>
    /// <exception cref="IOException">The level needs <see cref="ElitePath"/>, which is missing.</exception>
    public static List<byte[]> Observations(ComplexityLevel level, int count) => level switch
    {
        ComplexityLevel.Small => [.. Skirmish.Observations().Take(count).Select(Small)],
        ComplexityLevel.Middle => [.. Skirmish.Observations().Take(count)],
        ComplexityLevel.Late => LateFrames(count),
        _ => throw new ArgumentOutOfRangeException(nameof(level), level, "there is no match of such frames"),
    };

    private static byte[] Small(byte[] frame)
    {
        var observation = ResponseObservation.Parser.ParseFrom(frame);
        var raw = observation.Observation.RawData;
        raw.MapState = null;
        while (observation.CalculateSize() > SmallBytes) raw.Units.RemoveAt(raw.Units.Count - 1);
        return observation.ToByteArray();
    }

    private static byte[] Late() => LateFrames(1)[0];

    /// <summary>The first frame of about 150 KB, and those that follow it.</summary>
    private static List<byte[]> LateFrames(int count)
    {
        using var recording = RecordingReader.Open(ElitePath);
        var frames = new List<byte[]>();
        while (frames.Count < count && recording.ReadNext(out var observation))
        {
            if (frames.Count > 0 || observation.Payload.Length >= LateBytes) frames.Add(observation.Payload.ToArray());
        }
        return frames;
    }

    private static byte[] WithLayers(byte[] late)
    {
        var observation = ResponseObservation.Parser.ParseFrom(late);
        observation.Observation.FeatureLayerData = new ObservationFeatureLayer
        {
            Renders = new FeatureLayers(),
            MinimapRenders = new FeatureLayersMinimap(),
        };
        var random = new Random(1);
        foreach (IMessage layers in new IMessage[]
                 {
                     observation.Observation.FeatureLayerData.Renders, observation.Observation.FeatureLayerData.MinimapRenders,
                 })
        {
            foreach (var field in layers.Descriptor.Fields.InFieldNumberOrder()) field.Accessor.SetValue(layers, Layer(random));
        }
        return observation.ToByteArray();
    }

    /// <summary>A layer as the game's are: background, and patches of one value each.</summary>
    private static ImageData Layer(Random random)
    {
        var pixels = new byte[LayerPixels * LayerPixels];
        for (var patch = 0; patch < 120; patch++)
        {
            var (side, value) = (random.Next(2, 12), (byte)random.Next(1, 256));
            var (left, top) = (random.Next(LayerPixels - side), random.Next(LayerPixels - side));
            for (var row = top; row < top + side; row++) pixels.AsSpan(row * LayerPixels + left, side).Fill(value);
        }
        return new ImageData
        {
            BitsPerPixel = 8,
            Size = new Size2DI { X = LayerPixels, Y = LayerPixels },
            Data = ByteString.CopyFrom(pixels),
        };
    }
}
