using Abathur.Sync.Hub;
using Abathur.Sync.Matches.Recording;

namespace Abathur.Sync.Sources.Feed;

/// <summary>Is told of a match that is over, when its recording is complete. Must neither block nor throw.</summary>
/// <param name="end">Why it ended; null: it failed.</param>
/// <param name="times">How the time of its frames was spent; null: it is not known.</param>
/// <param name="recorder">Its recording; null: it has none.</param>
public delegate void MatchEndHandler(SubscriptionEnd? end, FrameTimes? times, MatchRecorder? recorder);
