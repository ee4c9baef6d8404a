using Abathur.Emulator.Queries;
using Abathur.Sync.Hub.Scheduling;
using Abathur.Sync.Matches;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Sources;

/// <summary>
/// Answers queries about the newest observation as the emulator does, from the grids of the game info, the game data and the units. On a
/// thread of low priority, one request after the other.
/// </summary>
/// <param name="run">Has the match and the newest observation.</param>
public sealed class EmulatedQueries(MatchRun run)
{
    /// <summary>Requests that may wait.</summary>
    public const int MaxWaiting = 64;

    private int _waiting;
    private GameQueries? _queries;

    /// <summary>Why the match cannot be queried; null if it can.</summary>
    public static string? Problem(Match match)
    {
        if (match.GameInfo is null) return "it has no game info";
        if (match.GameInfo.StartRaw is not { PathingGrid: not null, PlacementGrid: not null })
            return "its game info has no pathing grid or placement grid";
        return match.GameData is { Units.Count: > 0, Abilities.Count: > 0 } ? null : "it has no game data";
    }

    /// <summary>The answer.</summary>
    /// <exception cref="RefusedException">The match cannot be queried, there is no observation, or too many requests wait.</exception>
    public async Task<QueryResult> AnswerAsync(RequestQuery query)
    {
        if (Interlocked.Increment(ref _waiting) > MaxWaiting)
        {
            Interlocked.Decrement(ref _waiting);
            throw new RefusedException(RequestStatus.ResourceExhausted, $"{MaxWaiting} queries already wait: ask less often");
        }
        try
        {
            return await LowPriorityScheduler.Queries.RunAsync(() => Task.FromResult(Answer(query)));
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    private QueryResult Answer(RequestQuery query)
    {
        var match = run.Match ?? throw new RefusedException(RequestStatus.Unavailable, "there is no match yet");
        if (Problem(match) is { } problem)
            throw new RefusedException(RequestStatus.FailedPrecondition, $"this match cannot be queried: {problem}");
        var newest = run.Hub.RetainNewest() ?? throw new RefusedException(RequestStatus.FailedPrecondition, "there is no observation");
        try
        {
            _queries ??= new GameQueries(match.GameInfo, match.GameData);
            if (!_queries.TryAnswer(query, newest.GameLoop, newest.Observation, out var answer, out var refusal))
                throw new RefusedException(RequestStatus.InvalidArgument, refusal);
            return new QueryResult { Response = answer, GameLoop = newest.GameLoop, Emulated = true };
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new RefusedException(RequestStatus.FailedPrecondition, $"the newest observation cannot be read: {e.Message}");
        }
        finally
        {
            newest.Release();
        }
    }
}
