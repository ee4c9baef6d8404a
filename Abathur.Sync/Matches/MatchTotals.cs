using Abathur.Sync.V1;

namespace Abathur.Sync.Matches;

/// <summary>Sums over matches, which do not fall when the next begins.</summary>
/// <param name="Frames">Frames published.</param>
/// <param name="Bytes">Their bytes, as they came from the source.</param>
/// <param name="Given">Actions that were given to the game.</param>
/// <param name="Failed">Of those, refused by the game.</param>
/// <param name="Late">Of those, answers to an observation that was not the newest any more.</param>
/// <param name="Refused">Actions that were never given to the game.</param>
public readonly record struct MatchTotals(ulong Frames, ulong Bytes, ulong Given, ulong Failed, ulong Late, ulong Refused)
{
    /// <summary>Those of one match.</summary>
    public static MatchTotals Of(MatchRun run)
    {
        var status = new Status();
        run.Describe(status);
        var actions = status.Actions ?? new ActionStatus();
        return new(
            status.FramesPublished, status.BytesPublished, actions.Given, actions.Failed, actions.Late, actions.Refused);
    }

    /// <summary>The sums of both.</summary>
    public static MatchTotals operator +(MatchTotals one, MatchTotals other) => new(
        one.Frames + other.Frames, one.Bytes + other.Bytes, one.Given + other.Given, one.Failed + other.Failed, one.Late + other.Late,
        one.Refused + other.Refused);
}
