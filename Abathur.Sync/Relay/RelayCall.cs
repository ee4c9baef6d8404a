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
        ["status"] = new(
            (body, run) => Named(new() { Status = GetStatusRequest.Parser.ParseFrom(body) }, run), result => result.Status),
        ["timeline"] = new(
            (body, run) => Named(new() { Timeline = GetTimelineRequest.Parser.ParseFrom(body) }, run), result => result.Timeline),
        ["plots"] = new(
            (body, run) => Named(new() { Plots = GetPlotsRequest.Parser.ParseFrom(body) }, run), result => result.Plots),
    };

    /// <summary>What only actors may.</summary>
    public static IReadOnlyDictionary<string, RelayCall> OfActors { get; } = new Dictionary<string, RelayCall>
    {
        ["act"] = new((body, run) => Named(new() { Act = ActRequest.Parser.ParseFrom(body) }, run), result => result.Act),
        ["query"] = new((body, run) => Named(new() { Query = QueryRequest.Parser.ParseFrom(body) }, run), result => result.Query),
        ["draw"] = new((body, run) => Named(new() { Draw = DrawRequest.Parser.ParseFrom(body) }, run), result => result.Draw),
        ["plot"] = new((body, run) => Named(new() { Plot = PlotRequest.Parser.ParseFrom(body) }, run), result => result.Plot),
        ["control"] = new((body, _) => new() { Control = ControlRequest.Parser.ParseFrom(body) }, result => result.Control),
    };

    /// <summary>The request, with the run where it names none.</summary>
    private static ClientMessage Named(ClientMessage message, string run)
    {
        switch (message.MessageCase)
        {
            case ClientMessage.MessageOneofCase.Status when message.Status.RunId.Length == 0: message.Status.RunId = run; break;
            case ClientMessage.MessageOneofCase.Timeline when message.Timeline.RunId.Length == 0: message.Timeline.RunId = run; break;
            case ClientMessage.MessageOneofCase.Plots when message.Plots.RunId.Length == 0: message.Plots.RunId = run; break;
            case ClientMessage.MessageOneofCase.Act when message.Act.RunId.Length == 0: message.Act.RunId = run; break;
            case ClientMessage.MessageOneofCase.Query when message.Query.RunId.Length == 0: message.Query.RunId = run; break;
            case ClientMessage.MessageOneofCase.Draw when message.Draw.RunId.Length == 0: message.Draw.RunId = run; break;
            case ClientMessage.MessageOneofCase.Plot when message.Plot.RunId.Length == 0: message.Plot.RunId = run; break;
        }
        return message;
    }
}
