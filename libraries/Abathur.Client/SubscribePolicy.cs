namespace Abathur.Client;

/// <summary>How a subscriber that does not keep up is treated.</summary>
public enum SubscribePolicy
{
    /// <summary>A reader that lags skips to the newest frame, which counts the dropped frames.</summary>
    Latest,

    /// <summary>No frame is dropped. A playback waits for the reader; a live source ends the subscription of a slow one.</summary>
    Every,

    /// <summary>The source does not take the next game loop before this reader has asked for the next frame.</summary>
    Lockstep,
}
