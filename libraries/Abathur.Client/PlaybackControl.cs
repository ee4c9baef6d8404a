using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>The requests that control a playback, for <see cref="AbathurGame.ControlAsync"/>.</summary>
public static class PlaybackControl
{
    /// <summary>Stops the clock.</summary>
    public static ControlRequest Pause() => new() { Pause = new ControlRequest.Types.Pause() };

    /// <summary>Starts it again.</summary>
    public static ControlRequest Resume() => new() { Resume = new ControlRequest.Types.Resume() };

    /// <summary>Publishes that many frames, at most 10,000, and stays paused.</summary>
    public static ControlRequest Step(uint frames = 1) => new() { Step = new ControlRequest.Types.Step { Frames = frames } };

    /// <summary>Goes on from the first frame at or after a game loop.</summary>
    public static ControlRequest Seek(uint gameLoop) => new() { Seek = new ControlRequest.Types.Seek { GameLoop = gameLoop } };

    /// <summary>Multiplies the tick rate: 0.1 to 1000; 0: as fast as the agents read.</summary>
    public static ControlRequest SetRate(double rate) => new() { SetRate = new ControlRequest.Types.SetRate { Rate = rate } };

    /// <summary>Whether to begin again at the end.</summary>
    public static ControlRequest SetLoop(bool loop) => new() { SetLoop = new ControlRequest.Types.SetLoop { Loop = loop } };
}
