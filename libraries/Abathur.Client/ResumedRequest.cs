using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>What a subscription asks for: at first what its options say, and after a broken connection what follows the last
/// frame.</summary>
internal sealed class ResumedRequest(SubscribeOptions options)
{
    private bool _hasBegun;

    /// <summary>The request for the next connection.</summary>
    public SubscribeRequest Message { get; } = options.ToRequest();

    /// <summary>A match begins, on a new connection or behind another one. A subscription that follows comes back to it.</summary>
    public void Begin(string runId)
    {
        if (Message.Follow)
        {
            if (_hasBegun && runId != Message.RunId) StartAtBeginning();
            Message.RunId = runId;
        }
        _hasBegun = true;
    }

    /// <summary>A frame was read. Whether further ones were asked for.</summary>
    public bool Continue(FrameState frame)
    {
        if (HasStart) Message.StartAfterGameLoop = frame.GameLoop;
        return Message.MaxFrames == 0 || --Message.MaxFrames > 0;
    }

    /// <summary>Whether something else can be asked for where the daemon refuses to go on.</summary>
    public bool Adapt(RequestException refusal)
    {
        switch (refusal.Code)
        {
            case RequestErrorCode.OutOfRange when Message.HasStartAfterGameLoop:
                // A playback that went back, or another match: the live frames follow.
                Message.ClearStart();
                return true;
            case RequestErrorCode.NotFound or RequestErrorCode.InvalidArgument or RequestErrorCode.FailedPrecondition
                when Message.Follow && _hasBegun && Message.RunId.Length > 0:
                // The match is over, or another daemon does not know it: the next one follows.
                StartAtBeginning();
                Message.RunId = "";
                return true;
            default:
                return false;
        }
    }

    private bool HasStart => Message.StartCase != SubscribeRequest.StartOneofCase.None;

    /// <summary>The options say where the first match begins; the others are read from their beginning.</summary>
    private void StartAtBeginning()
    {
        if (HasStart) Message.StartOldest = true;
    }
}
