using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Relay;

/// <summary>A request that readers send to a relay: the last token of its subject says which.</summary>
/// <param name="Parse">The request as a daemon takes it, about a run where the reader names none.</param>
/// <param name="AnswerOf">The message that answers it.</param>
internal sealed record RelayCall(Func<byte[], string, ClientMessage> Parse, Func<Result, IMessage> AnswerOf)
{
    /// <summary>The constant data of the match, which has a request of its own.</summary>
    public const string Match = "match";

    /// <summary>What watchers may ask.</summary>
    public static IReadOnlyDictionary<string, RelayCall> OfWatchers { get; } = new Dictionary<string, RelayCall>
    {
        ["status"] = new((body, run) => new() { Status = Of(GetStatusRequest.Parser.ParseFrom(body), run) }, result => result.Status),
        ["timeline"] = new((body, run) => new() { Timeline = Of(GetTimelineRequest.Parser.ParseFrom(body), run) }, result => result.Timeline),
        ["plots"] = new((body, run) => new() { Plots = Of(GetPlotsRequest.Parser.ParseFrom(body), run) }, result => result.Plots),
    };

    /// <summary>What only actors may.</summary>
    public static IReadOnlyDictionary<string, RelayCall> OfActors { get; } = new Dictionary<string, RelayCall>
    {
        ["act"] = new((body, run) => new() { Act = Of(ActRequest.Parser.ParseFrom(body), run) }, result => result.Act),
        ["query"] = new((body, run) => new() { Query = Of(QueryRequest.Parser.ParseFrom(body), run) }, result => result.Query),
        ["draw"] = new((body, run) => new() { Draw = Of(DrawRequest.Parser.ParseFrom(body), run) }, result => result.Draw),
        ["plot"] = new((body, run) => new() { Plot = Of(PlotRequest.Parser.ParseFrom(body), run) }, result => result.Plot),
        ["control"] = new((body, _) => new() { Control = ControlRequest.Parser.ParseFrom(body) }, result => result.Control),
    };

    private static GetStatusRequest Of(GetStatusRequest request, string run) => new(request) { RunId = request.RunId.Length > 0 ? request.RunId : run };

    private static GetTimelineRequest Of(GetTimelineRequest request, string run) => new(request) { RunId = request.RunId.Length > 0 ? request.RunId : run };

    private static GetPlotsRequest Of(GetPlotsRequest request, string run) => new(request) { RunId = request.RunId.Length > 0 ? request.RunId : run };

    private static ActRequest Of(ActRequest request, string run) => new(request) { RunId = request.RunId.Length > 0 ? request.RunId : run };

    private static QueryRequest Of(QueryRequest request, string run) => new(request) { RunId = request.RunId.Length > 0 ? request.RunId : run };

    private static DrawRequest Of(DrawRequest request, string run) => new(request) { RunId = request.RunId.Length > 0 ? request.RunId : run };

    private static PlotRequest Of(PlotRequest request, string run) => new(request) { RunId = request.RunId.Length > 0 ? request.RunId : run };
}
