using Abathur.Protobuf;
using Abathur.Sc2;
using Abathur.Sc2.Api;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.V1;
using Google.Protobuf;
using Microsoft.Extensions.Logging;
using SC2APIProtocol;
using Request = SC2APIProtocol.Request;
using Response = SC2APIProtocol.Response;
using Status = SC2APIProtocol.Status;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Inspects relayed messages on its own task: publishes observations, and records the bot's actions and steps. Messages that it cannot keep
/// up with are dropped and counted; it never delays the relay.
/// </summary>
internal sealed class ProxyTap : IAsyncDisposable
{
    /// <summary>How long it waits before it inspects new messages, so that the bot can process them first. Messages that arrive in this
    /// time are inspected together.</summary>
    private static readonly TimeSpan BotFirst = TimeSpan.FromMilliseconds(1);

    /// <summary>How long the game may take to answer the tap's own requests. Frames wait for them; the bot does not.</summary>
    private static readonly TimeSpan AskTimeout = TimeSpan.FromSeconds(10);

    private readonly MatchFeed _feed;
    private readonly FrameTimes _times;
    private readonly TimeProvider _clock;
    private readonly ILogger _log;
    private readonly TaskCompletionSource<SubscriptionEnd> _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Match _match = new() { Source = SourceKind.Proxy };
    private readonly Task _looking;
    private long _unreadable;
    private byte[]? _gameInfo;
    private byte[]? _gameData;
    private uint _stepped;
    private bool _dataIsWhole;
    private bool _wasInGame;
    private long _requestSent;
    private long _responsePassedOn;
    private TimeSpan _gameTime;
    private TimeSpan _botTime;
    private TimeSpan _daemonTime;

    /// <param name="feed">Publishes and records the frames.</param>
    /// <param name="times">Receives the times.</param>
    /// <param name="actionsAllowed">Whether agents may act.</param>
    /// <param name="log">Gets a message if the match cannot be published.</param>
    /// <param name="clock">Clock of the stamps.</param>
    public ProxyTap(MatchFeed feed, FrameTimes times, bool actionsAllowed, ILogger log, TimeProvider clock)
    {
        (_feed, _times, _log, _clock) = (feed, times, log, clock);
        _match.ActionsAllowed = actionsAllowed;
        Messages = new TapQueue(clock);
        _looking = Task.Run(LookAsync);
    }

    /// <summary>Sends a request of the proxy to the game. Set before the first message.</summary>
    public Action<Request, Action<ReadOnlyMemory<byte>?>>? Ask { get; set; }

    /// <summary>Called when the bot has drawn in the game.</summary>
    public Action<RequestDebug>? BotDrew { get; set; }

    /// <summary>Called when the match has begun.</summary>
    public System.Action? Began { get; set; }

    /// <summary>Completes when the match is over or cannot be published any more.</summary>
    public Task<SubscriptionEnd> Over => _over.Task;

    /// <summary>Whether the game has reported its end, even if no observation had the results.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Messages that are not protobuf of the game's API: they were relayed but not inspected.</summary>
    public long Unreadable => Interlocked.Read(ref _unreadable);

    /// <summary>The messages to inspect.</summary>
    public TapQueue Messages { get; }

    /// <summary>Inspects the remaining messages and ends. Call it when no more messages are added.</summary>
    public async ValueTask DisposeAsync()
    {
        Messages.Close();
        await _looking;
        Messages.Dispose();
    }

    private async Task LookAsync()
    {
        var isBroken = false;
        while (true)
        {
            var isClosed = Messages.IsClosed;
            if (!Messages.TryTake(out var message))
            {
                if (isClosed) break;
                await Messages.WaitAsync();
                // Let the bot's process run first, even if there are fewer processors than agents.
                if (!Messages.IsClosed) await Task.Delay(BotFirst, _clock);
                continue;
            }
            try
            {
                // The match cannot be published any more, which was already reported.
                if (isBroken) continue;
                if (message.FromGame) await LookAtResponseAsync(message);
                else LookAtRequest(message);
            }
            catch (Exception e) when (e is InvalidDataException or InvalidProtocolBufferException)
            {
                // Only counted: the message was relayed unchanged.
                Interlocked.Increment(ref _unreadable);
            }
            catch (Exception e)
            {
                // A bug: the match ends for the agents, but not for the bot.
                isBroken = true;
                LogMessages.PublishingFailed(_log, e.ToString());
                _over.TrySetResult(
                    new SubscriptionEnd(SubscriptionEndReason.SourceLost, $"the match cannot be published any more: {e.Message}"));
            }
            finally
            {
                message.Payload.Release();
            }
        }
    }

    private void LookAtRequest(in TappedMessage message)
    {
        if (_responsePassedOn != 0) _botTime += Positive(_responsePassedOn, message.FirstByte);
        _daemonTime += message.Held;
        _requestSent = message.PassedOn;
        var request = ResponseWire.Read(message.Payload.Span);
        var body = message.Payload.Span[request.Body];
        switch (request.Kind)
        {
            case Request.ActionFieldNumber:
                _feed.RecordActions(body);
                break;
            case Request.StepFieldNumber:
                // Without a count the game takes one step.
                var step = RequestStep.Parser.ParseFrom(body);
                _stepped += step.HasCount ? step.Count : 1;
                _feed.RecordStep(step.HasCount ? step.Count : 1);
                break;
            case Request.StartReplayFieldNumber:
                _match.PlayerId = (uint)LenientParser.Parse<RequestStartReplay>(body).ObservedPlayerId;
                break;
            case Request.DebugFieldNumber:
                BotDrew?.Invoke(LenientParser.Parse<RequestDebug>(body));
                break;
            case Request.DataFieldNumber:
                var data = RequestData.Parser.ParseFrom(body);
                _dataIsWhole = data is { AbilityId: true, UnitTypeId: true, UpgradeId: true, BuffId: true, EffectId: true };
                break;
        }
    }

    private async ValueTask LookAtResponseAsync(TappedMessage message)
    {
        // If requests were sent without waiting for the answers, count only the newest one, once.
        if (_requestSent != 0) _gameTime += Positive(_requestSent, message.FirstByte);
        _requestSent = 0;
        _responsePassedOn = message.PassedOn;
        _daemonTime += message.Held;
        var response = ResponseWire.Read(message.Payload.Span);
        switch (response.Kind)
        {
            case Response.ObservationFieldNumber:
                var (offset, length) = response.Body.GetOffsetAndLength(message.Payload.Span.Length);
                message.Payload.Narrow(offset, length);
                await PublishAsync(message);
                break;
            // Game loops restart or go back: the following observations belong to another match.
            case Response.RestartGameFieldNumber when _feed.HasBegun && !response.HasError:
                End("the bot has restarted the game");
                break;
            case Response.QuickLoadFieldNumber when _feed.HasBegun && !response.HasError:
                End("the bot has loaded a saved game");
                break;
            case Response.JoinGameFieldNumber:
                _match.PlayerId = LenientParser.Parse<ResponseJoinGame>(message.Payload.Span[response.Body]).PlayerId;
                break;
            default:
                Keep(response, message.Payload.Span);
                break;
        }
        if (response.Status is { } status) LookAt(status);
    }

    private void LookAt(Status status)
    {
        if (status is Status.InGame or Status.InReplay) _wasInGame = true;
        // The results are in the next observation that the bot requests. An unknown status is ignored.
        else if (_wasInGame && status == Status.Ended) HasEnded = true;
        else if (_wasInGame && _feed.HasBegun && (status is Status.Launched or Status.InitGame or Status.Quit))
            End("the bot has left the game");
    }

    private void End(string how)
    {
        // Immediately, not after the source has processed the end, because the bot's next request may belong to the next match.
        _feed.End();
        _over.TrySetResult(new SubscriptionEnd(SubscriptionEndReason.MatchOver, how));
    }

    private async ValueTask PublishAsync(TappedMessage message)
    {
        // Observations after the end, or of another game on the same connection, do not belong to this match.
        if (_over.Task.IsCompleted) return;
        if (!_feed.HasBegun)
        {
            // Throws for an invalid observation, so that the match does not begin with it.
            ObservationWire.ReadGameLoopAndEnd(message.Payload.Span);
            await BeginAsync(message.Payload);
        }
        message.Payload.Retain();
        await _feed.PublishAsync(message.Payload, FrameStamp.Now(_clock));
        _times.Observe(_feed.GameLoop, _stepped);
        _times.AddFrame(_gameTime, _botTime, _daemonTime);
        (_stepped, _gameTime, _botTime, _daemonTime) = (0, default, default, default);
        if (_feed.Results.Count > 0) End(_feed.Outcome);
    }

    /// <summary>Sets the match when the first observation has arrived. Requests the data that the bot has not requested.</summary>
    private async ValueTask BeginAsync(SharedBuffer observation)
    {
        if (_match.GameVersion.Length == 0) await AskAsync(new Request { Ping = new RequestPing() });
        if (_gameInfo is null) await AskAsync(new Request { GameInfo = new RequestGameInfo() });
        // Request all data if the bot has requested only a part.
        if (_gameData is null || !_dataIsWhole)
        {
            await AskAsync(GameRequests.Data);
        }
        if (_match.PlayerId == 0)
            _match.PlayerId = LenientParser.Parse<ResponseObservation>(observation.Span).Observation?.PlayerCommon?.PlayerId ?? 0;
        _feed.Begin(_match, _gameInfo, _gameData);
        Began?.Invoke();
    }

    private async Task AskAsync(Request request)
    {
        var answer = new TaskCompletionSource<byte[]?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Ask?.Invoke(request, response => answer.TrySetResult(response?.ToArray()));
        try
        {
            if (await answer.Task.WaitAsync(AskTimeout, _clock) is { } bytes) Keep(ResponseWire.Read(bytes), bytes);
        }
        catch (Exception e) when (e is TimeoutException or InvalidDataException or InvalidProtocolBufferException)
        {
            // The match begins without this data.
        }
    }

    /// <summary>Keeps the data about the match in a response.</summary>
    private void Keep(in ResponseWire response, ReadOnlySpan<byte> message)
    {
        var body = message[response.Body];
        switch (response.Kind)
        {
            case Response.PingFieldNumber: _match.GameVersion = LenientParser.Parse<ResponsePing>(body).GameVersion; break;
            case Response.GameInfoFieldNumber when !_feed.HasBegun:
                _match.GameInfo = LenientParser.Parse<ResponseGameInfo>(body);
                _gameInfo = body.ToArray();
                break;
            case Response.DataFieldNumber when !_feed.HasBegun:
                _match.GameData = LenientParser.Parse<ResponseData>(body);
                _gameData = body.ToArray();
                break;
        }
    }

    private TimeSpan Positive(long from, long to) => to > from ? _clock.GetElapsedTime(from, to) : TimeSpan.Zero;
}
