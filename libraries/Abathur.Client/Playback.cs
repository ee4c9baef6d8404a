using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Controls the playback of a recording: <see cref="AbathurGame.Playback"/>. Each method returns where the playback stands then.
/// Thread-safe.</summary>
public sealed class Playback
{
    private readonly Func<ControlRequest, CancellationToken, Task<PlaybackState>> _send;

    internal Playback(Func<ControlRequest, CancellationToken, Task<PlaybackState>> send) => _send = send;

    /// <summary>Stops the clock.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The source is not a playback (FailedPrecondition).</exception>
    public Task<PlaybackState> PauseAsync(CancellationToken cancellationToken = default) =>
        _send(new ControlRequest { Pause = new ControlRequest.Types.Pause() }, cancellationToken);

    /// <summary>Starts it again.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The source is not a playback (FailedPrecondition).</exception>
    public Task<PlaybackState> ResumeAsync(CancellationToken cancellationToken = default) =>
        _send(new ControlRequest { Resume = new ControlRequest.Types.Resume() }, cancellationToken);

    /// <summary>Publishes some frames, and stays paused.</summary>
    /// <param name="frames">How many, at most 10,000.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The source is not a playback (FailedPrecondition), or there are too many (InvalidArgument).
    /// </exception>
    public Task<PlaybackState> StepAsync(uint frames = 1, CancellationToken cancellationToken = default) =>
        _send(new ControlRequest { Step = new ControlRequest.Types.Step { Frames = frames } }, cancellationToken);

    /// <summary>Goes on from the first frame at or after a game loop.</summary>
    /// <param name="gameLoop">The game loop.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The source is not a playback (FailedPrecondition), or the game loop is after the last
    /// (OutOfRange).</exception>
    public Task<PlaybackState> SeekAsync(uint gameLoop, CancellationToken cancellationToken = default) =>
        _send(new ControlRequest { Seek = new ControlRequest.Types.Seek { GameLoop = gameLoop } }, cancellationToken);

    /// <summary>Multiplies the tick rate.</summary>
    /// <param name="rate">0.1 to 1000; 0: as fast as the agents read.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The source is not a playback (FailedPrecondition), or the rate is invalid (InvalidArgument).
    /// </exception>
    public Task<PlaybackState> SetRateAsync(double rate, CancellationToken cancellationToken = default) =>
        _send(new ControlRequest { SetRate = new ControlRequest.Types.SetRate { Rate = rate } }, cancellationToken);

    /// <summary>Sets whether the playback begins again at its end.</summary>
    /// <param name="loop">Whether it does.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="RequestException">The source is not a playback (FailedPrecondition).</exception>
    public Task<PlaybackState> SetLoopAsync(bool loop, CancellationToken cancellationToken = default) =>
        _send(new ControlRequest { SetLoop = new ControlRequest.Types.SetLoop { Loop = loop } }, cancellationToken);
}
