using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Sync.Relay;

/// <summary>A request that readers send to a relay: the last token of its subject says which.</summary>
/// <param name="Parse">The request as a daemon takes it.</param>
/// <param name="AnswerOf">The message that answers it.</param>
internal sealed record RelayCall(Func<byte[], ClientMessage> Parse, Func<Result, IMessage> AnswerOf)
{
    /// <summary>The constant data of the match, which has a request of its own.</summary>
    public const string Match = "match";

    /// <summary>What watchers may ask.</summary>
    public static IReadOnlyDictionary<string, RelayCall> OfWatchers { get; } = new Dictionary<string, RelayCall>
    {
        ["status"] = new(body => new() { Status = GetStatusRequest.Parser.ParseFrom(body) }, result => result.Status),
        ["timeline"] = new(body => new() { Timeline = GetTimelineRequest.Parser.ParseFrom(body) }, result => result.Timeline),
        ["plots"] = new(body => new() { Plots = GetPlotsRequest.Parser.ParseFrom(body) }, result => result.Plots),
    };

    /// <summary>What only actors may.</summary>
    public static IReadOnlyDictionary<string, RelayCall> OfActors { get; } = new Dictionary<string, RelayCall>
    {
        ["act"] = new(body => new() { Act = ActRequest.Parser.ParseFrom(body) }, result => result.Act),
        ["query"] = new(body => new() { Query = QueryRequest.Parser.ParseFrom(body) }, result => result.Query),
        ["draw"] = new(body => new() { Draw = DrawRequest.Parser.ParseFrom(body) }, result => result.Draw),
        ["plot"] = new(body => new() { Plot = PlotRequest.Parser.ParseFrom(body) }, result => result.Plot),
        ["control"] = new(body => new() { Control = ControlRequest.Parser.ParseFrom(body) }, result => result.Control),
    };
}
