namespace Abathur.Client;

/// <summary>How the observation is written inside a frame.</summary>
public enum FrameEncoding
{
    /// <summary>The default: <see cref="Proto"/>.</summary>
    Auto,

    /// <summary>A serialized <c>ResponseObservation</c>: the bytes that the game wrote.</summary>
    Proto,

    /// <summary>Canonical ProtoJSON, in lines. For comparison; it is the slowest.</summary>
    Json,

    /// <summary>Columns (<c>docs/columns.md</c>): the smallest and the fastest for <see cref="GameFrame.Units"/> and
    /// <see cref="GameFrame.Grids"/>. The order of the units is not that of the game.</summary>
    Columns,
}
