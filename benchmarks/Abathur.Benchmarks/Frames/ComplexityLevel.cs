namespace Abathur.Benchmarks;

/// <summary>How much there is in an observation, from a hundred bytes to a megabyte.</summary>
public enum ComplexityLevel
{
    /// <summary>One unit and nothing else: about 130 B.</summary>
    Unit,

    /// <summary>Units of a frame, without the grids of the map: 10 KB.</summary>
    Small,

    /// <summary>The first frame of <c>recordings/skirmish.mcap</c>: 56 KB.</summary>
    Middle,

    /// <summary>The first frame of the recording <c>elite</c> that has 150 KB.</summary>
    Late,

    /// <summary>The late frame with generated feature layers: 1.5 MB.</summary>
    Layers,
}
