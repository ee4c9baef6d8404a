using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client.Nats;

/// <summary>A request to the relay of a match, as this library's README has it.</summary>
/// <param name="What">The last token of its subject.</param>
/// <param name="IsActing">Whether it needs the right to act.</param>
/// <param name="Body">The message.</param>
/// <param name="ResultOf">The answer as a daemon gives it.</param>
internal sealed record RelayRequest(string What, bool IsActing, IMessage Body, Func<byte[], Result> ResultOf)
{
    /// <summary>The request of a client; null if relays do not answer it.</summary>
    public static RelayRequest? Of(ClientMessage message) => message.MessageCase switch
    {
        ClientMessage.MessageOneofCase.Status =>
            new("status", false, message.Status, bytes => new Result { Status = Status.Parser.ParseFrom(bytes) }),
        ClientMessage.MessageOneofCase.Timeline =>
            new("timeline", false, message.Timeline, bytes => new Result { Timeline = Timeline.Parser.ParseFrom(bytes) }),
        ClientMessage.MessageOneofCase.Plots =>
            new("plots", false, message.Plots, bytes => new Result { Plots = Plots.Parser.ParseFrom(bytes) }),
        ClientMessage.MessageOneofCase.Act =>
            new("act", true, message.Act, bytes => new Result { Act = ActResult.Parser.ParseFrom(bytes) }),
        ClientMessage.MessageOneofCase.Query =>
            new("query", true, message.Query, bytes => new Result { Query = QueryResult.Parser.ParseFrom(bytes) }),
        ClientMessage.MessageOneofCase.Draw =>
            new("draw", true, message.Draw, bytes => new Result { Draw = DrawResult.Parser.ParseFrom(bytes) }),
        ClientMessage.MessageOneofCase.Plot =>
            new("plot", true, message.Plot, bytes => new Result { Plot = PlotResult.Parser.ParseFrom(bytes) }),
        ClientMessage.MessageOneofCase.Control =>
            new("control", true, message.Control, bytes => new Result { Control = PlaybackState.Parser.ParseFrom(bytes) }),
        _ => null,
    };
}
