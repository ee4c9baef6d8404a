namespace Abathur.Client;

/// <summary>What becomes of a frame that was received.</summary>
public enum FrameUse
{
    /// <summary>The reader gets it.</summary>
    Give,

    /// <summary>The reader does not get it; the next one tells what happened in it.</summary>
    Skip,

    /// <summary>It is before the first one, and the next ones depend on it.</summary>
    Decode,
}
