using Abathur.Sync.Access;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>The requests that come as a <see cref="ClientMessage"/>, and their answers.</summary>
internal static class RequestAnswers
{
    /// <summary>Whether a message is a request.</summary>
    public static bool IsRequest(this ClientMessage message) => message.MessageCase is
        ClientMessage.MessageOneofCase.Act or ClientMessage.MessageOneofCase.Control or ClientMessage.MessageOneofCase.Draw
        or ClientMessage.MessageOneofCase.Matches or ClientMessage.MessageOneofCase.Plot or ClientMessage.MessageOneofCase.Plots
        or ClientMessage.MessageOneofCase.Query or ClientMessage.MessageOneofCase.Status or ClientMessage.MessageOneofCase.Timeline;

    /// <summary>Whether a whole recording may have to be read for the answer.</summary>
    public static bool MayTakeLong(this ClientMessage message) =>
        message.MessageCase is ClientMessage.MessageOneofCase.Timeline or ClientMessage.MessageOneofCase.Plots;

    /// <summary>Answers a request.</summary>
    /// <exception cref="RefusedException">It is refused, or the message is no request.</exception>
    public static async Task<Result> AnswerAsync(
        this SyncApi api, ClientMessage message, AccessLevel level, CancellationToken cancellationToken) => message.MessageCase switch
        {
            ClientMessage.MessageOneofCase.Act => new Result { Act = await api.ActAsync(message.Act, level, cancellationToken) },
            ClientMessage.MessageOneofCase.Query => new Result { Query = await api.QueryAsync(message.Query, level, cancellationToken) },
            ClientMessage.MessageOneofCase.Control =>
                new Result { Control = await api.ControlAsync(message.Control, level, cancellationToken) },
            ClientMessage.MessageOneofCase.Status => new Result { Status = api.GetStatus(level, message.Status.RunId) },
            ClientMessage.MessageOneofCase.Matches => new Result { Matches = api.GetMatches(level) },
            ClientMessage.MessageOneofCase.Draw => new Result { Draw = api.Draw(message.Draw, level) },
            ClientMessage.MessageOneofCase.Timeline =>
                new Result { Timeline = await api.GetTimelineAsync(message.Timeline, level, cancellationToken) },
            ClientMessage.MessageOneofCase.Plot => new Result { Plot = api.Plot(message.Plot, level) },
            ClientMessage.MessageOneofCase.Plots => new Result { Plots = await api.GetPlotsAsync(message.Plots, level, cancellationToken) },
            _ => throw new RefusedException(
                RequestStatus.InvalidArgument, "expected one of ack, act, control, draw, matches, plot, plots, query, status, timeline"),
        };
}
