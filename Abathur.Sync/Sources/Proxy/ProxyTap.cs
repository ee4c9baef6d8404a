using Abathur.Protobuf;
using Abathur.Sc2;
using Abathur.Sc2.Api;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;
using Google.Protobuf;
using Microsoft.Extensions.Logging;
using SC2APIProtocol;
using Request = SC2APIProtocol.Request;
using Response = SC2APIProtocol.Response;
using Status = SC2APIProtocol.Status;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Inspects relayed messages on its own task: publishes observations, and records the bot's actions and steps, match after match. Messages
/// that it cannot keep up with are dropped and counted; it never delays the relay.
/// </summary>
internal sealed class ProxyTap : IAsyncDisposable
{
    /// <summary>How long it waits before it inspects new messages, so that the bot can process them first. Messages that arrive in this
    /// time are inspected together.</summary>
    private static readonly TimeSpan BotFirst = TimeSpan.FromMilliseconds(1);

    /// <summary>How long the game may take to answer the tap's own requests. Frames wait for them; the bot does not.</summary>
    private static readonly TimeSpan AskTimeout = TimeSpan.FromSeconds(10);

    private readonly bool _actionsAllowed;
    private readonly TimeProvider _clock;
    private readonly ILogger _log;
    private readonly Task _looking;
    private ProxyMatch? _current;
    private ProxyActions? _actions;
    private Task _actionsStopped = Task.CompletedTask;
    private ProxyRelay _relay = null!;
    private Match _match;
    private long _unreadable;
    private byte[]? _gameInfo;
    private byte[]? _gameData;
    private uint _stepped;
    private bool _dataIsWhole;
    private bool _wasInGame;
    private bool _hasEnded;
    private bool _awaitsGame;
    private long _requestSent;
    private long _responsePassedOn;
    private TimeSpan _gameTime;
    private TimeSpan _botTime;
    private TimeSpan _daemonTime;

    /// <param name="match">The match that begins on this connection.</param>
    /// <param name="actionsAllowed">Whether agents may act.</param>
    /// <param name="log">Gets a message if the match cannot be published.</param>
    /// <param name="clock">Clock of the stamps.</param>
    public ProxyTap(ProxyMatch match, bool actionsAllowed, ILogger log, TimeProvider clock)
    {
        (_current, _actionsAllowed, _log, _clock) = (match, actionsAllowed, log, clock);
        _match = NewMatch();
        Messages = new TapQueue(clock);
        _looking = Task.Run(LookAsync);
    }

    /// <summary>The connection to the game. Set before the first message.</summary>
    public ProxyRelay Relay
    {
        set => _relay = value;
    }

    /// <summary>Called before a match begins.</summary>
    public required Action<Match> Beginning { get; init; }

    /// <summary>Called when a match that has begun is over; returns the next, null if none follows.</summary>
    public required Func<SubscriptionEnd, ProxyMatch?> GoOn { get; init; }

    /// <summary>Messages that are not protobuf of the game's API: they were relayed but not inspected.</summary>
    public long Unreadable => Interlocked.Read(ref _unreadable);

    /// <summary>The messages to inspect.</summary>
    public TapQueue Messages { get; }

    /// <summary>Inspects the remaining messages. Call it when no more messages are added.</summary>
    public async ValueTask DisposeAsync()
    {
        Messages.Close();
        await _looking;
        Messages.Dispose();
        StopActions();
        await _actionsStopped;
    }

    /// <summary>Ends the match that runs still, when all is inspected.</summary>
    /// <param name="how">How the connection has ended.</param>
    public void End(RelayEnd how)
    {
        // The end that the messages contain counts, even if the connection broke before they were inspected.
        if (_current is not { Feed.HasBegun: true }) return;
        GoOn(how switch
        {
            _ when _hasEnded => new SubscriptionEnd(SubscriptionEndReason.MatchOver, "the game has ended"),
            RelayEnd.BotClosed => new SubscriptionEnd(SubscriptionEndReason.MatchOver, "the bot closed the connection"),
            RelayEnd.BotLost => new SubscriptionEnd(SubscriptionEndReason.SourceLost, "the bot's connection broke during the match"),
            _ => new SubscriptionEnd(SubscriptionEndReason.SourceLost, "the game closed the connection during the match"),
        });
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
                if (_current is not { } match) continue;
                if (message.FromGame) await LookAtResponseAsync(match, message);
                else LookAtRequest(match, message);
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
                if (_current is { Feed.HasBegun: true })
                    GoOn(new SubscriptionEnd(SubscriptionEndReason.SourceLost, $"the match cannot be published any more: {e.Message}"));
                _current = null;
            }
            finally
            {
                message.Payload.Release();
            }
        }
    }

    private void LookAtRequest(ProxyMatch match, in TappedMessage message)
    {
        if (_responsePassedOn != 0) _botTime += Positive(_responsePassedOn, message.FirstByte);
        _daemonTime += message.Held;
        _requestSent = message.PassedOn;
        var request = ResponseWire.Read(message.Payload.Span);
        var body = message.Payload.Span[request.Body];
        switch (request.Kind)
        {
            case Request.ActionFieldNumber:
                match.Feed.RecordActions(body);
                break;
            case Request.StepFieldNumber:
                // Without a count the game takes one step.
                var step = RequestStep.Parser.ParseFrom(body);
                _stepped += step.HasCount ? step.Count : 1;
                match.Feed.RecordStep(step.HasCount ? step.Count : 1);
                break;
            case Request.StartReplayFieldNumber:
                _match.PlayerId = (uint)LenientParser.Parse<RequestStartReplay>(body).ObservedPlayerId;
                break;
            case Request.DebugFieldNumber:
                _actions?.BotDrew(LenientParser.Parse<RequestDebug>(body));
                break;
            case Request.DataFieldNumber:
                var data = RequestData.Parser.ParseFrom(body);
                _dataIsWhole = data is { AbilityId: true, UnitTypeId: true, UpgradeId: true, BuffId: true, EffectId: true };
                break;
        }
    }

    private async ValueTask LookAtResponseAsync(ProxyMatch match, TappedMessage message)
    {
        // If requests were sent without waiting for the answers, count only the newest one, once.
        if (_requestSent != 0) _gameTime += Positive(_requestSent, message.FirstByte);
        _requestSent = 0;
        _responsePassedOn = message.PassedOn;
        _daemonTime += message.Held;
        var response = ResponseWire.Read(message.Payload.Span);
        if (response.Status is Status.InGame or Status.InReplay) _awaitsGame = false;
        switch (response.Kind)
        {
            case Response.ObservationFieldNumber:
                // Those after the end belong to no match.
                if (_awaitsGame) break;
                var (offset, length) = response.Body.GetOffsetAndLength(message.Payload.Span.Length);
                message.Payload.Narrow(offset, length);
                await PublishAsync(match, message);
                break;
            // Game loops restart or go back: the following observations belong to another match.
            case Response.RestartGameFieldNumber when !response.HasError:
                End(match, "the bot has restarted the game");
                _awaitsGame = false;
                break;
            case Response.QuickLoadFieldNumber when !response.HasError:
                End(match, "the bot has loaded a saved game");
                _awaitsGame = false;
                break;
            case Response.JoinGameFieldNumber:
                if (!response.HasError) _awaitsGame = false;
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
        else if (_wasInGame && status == Status.Ended) _hasEnded = true;
        else if (_wasInGame && _current is { } match && (status is Status.Launched or Status.InitGame or Status.Quit))
            End(match, "the bot has left the game");
    }

    /// <summary>Ends a match that has begun, and waits for the next game.</summary>
    private void End(ProxyMatch match, string how)
    {
        if (!match.Feed.HasBegun) return;
        StopActions();
        _current = GoOn(new SubscriptionEnd(SubscriptionEndReason.MatchOver, how));
        // A bot that does not join again plays on as the same player, in the same program.
        _match = NewMatch(_match);
        (_gameInfo, _gameData, _dataIsWhole) = (null, null, false);
        (_wasInGame, _hasEnded, _awaitsGame, _stepped) = (false, false, true, 0);
    }

    /// <summary>Without waiting for the game, which may be answering the last request.</summary>
    private void StopActions()
    {
        if (_actions is { } actions) _actionsStopped = Task.WhenAll(_actionsStopped, actions.DisposeAsync().AsTask());
        _actions = null;
    }

    private Match NewMatch(Match? former = null) => new()
    {
        Source = SourceKind.Proxy,
        ActionsAllowed = _actionsAllowed,
        PlayerId = former?.PlayerId ?? 0,
        GameVersion = former?.GameVersion ?? "",
    };

    private async ValueTask PublishAsync(ProxyMatch match, TappedMessage message)
    {
        var feed = match.Feed;
        if (!feed.HasBegun)
        {
            // Throws for an invalid observation, so that the match does not begin with it.
            ObservationWire.ReadGameLoopAndEnd(message.Payload.Span);
            await BeginAsync(match, message.Payload);
        }
        message.Payload.Retain();
        await feed.PublishAsync(message.Payload, FrameStamp.Now(_clock));
        match.Times.Observe(feed.GameLoop, _stepped);
        match.Times.AddFrame(_gameTime, _botTime, _daemonTime);
        (_stepped, _gameTime, _botTime, _daemonTime) = (0, default, default, default);
        if (feed.Results.Count > 0) End(match, feed.Outcome);
    }

    /// <summary>Sets the match when the first observation has arrived. Requests the data that the bot has not requested.</summary>
    private async ValueTask BeginAsync(ProxyMatch match, SharedBuffer observation)
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
        Beginning(_match);
        match.Feed.Begin(_match, _gameInfo, _gameData);
        _actions = new ProxyActions(match, _relay, _actionsAllowed, _clock);
    }

    private async Task AskAsync(Request request)
    {
        var answer = new TaskCompletionSource<byte[]?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _relay.Send(request, response => answer.TrySetResult(response?.ToArray()));
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
            case Response.GameInfoFieldNumber when _current is { Feed.HasBegun: false }:
                _match.GameInfo = LenientParser.Parse<ResponseGameInfo>(body);
                _gameInfo = body.ToArray();
                break;
            case Response.DataFieldNumber when _current is { Feed.HasBegun: false }:
                _match.GameData = LenientParser.Parse<ResponseData>(body);
                _gameData = body.ToArray();
                break;
        }
    }

    private TimeSpan Positive(long from, long to) => to > from ? _clock.GetElapsedTime(from, to) : TimeSpan.Zero;
}
