using System.Net.Sockets;
using SC2APIProtocol;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>
/// Relays bytes between a bot and its game, each direction on its own thread with blocking sockets, so that nothing waits for the thread
/// pool, which agents may keep busy. Bytes are forwarded first; then the messages in them are copied for <see cref="ProxyTap"/>.
/// </summary>
/// <remarks>
/// A message of the game is held back until it is complete only while a request of the proxy itself is unanswered, because the id that
/// identifies the answer is at the end of the message.
/// </remarks>
internal sealed class ProxyRelay
{
    private const int ChunkBytes = 256 * 1024;

    /// <summary>How long the other side may take to close after one side has closed.</summary>
    public static readonly TimeSpan EndTimeout = TimeSpan.FromSeconds(5);

    private readonly Socket _bot;
    private readonly Socket _game;
    private readonly TimeProvider _clock;
    private readonly OwnRequests _own = new();
    private readonly GameWriter _writer;
    private int _end;
    private volatile bool _botSentClose;

    /// <param name="bot">The bot's connection; it is closed at the end.</param>
    /// <param name="game">The game's connection; it is closed at the end.</param>
    /// <param name="clock">Clock of the stamps.</param>
    public ProxyRelay(Socket bot, Socket game, TimeProvider clock)
    {
        (_bot, _game, _clock) = (bot, game, clock);
        _writer = new GameWriter(game, _own);
    }

    /// <summary>Receives each relayed message. The caller closes and disposes it.</summary>
    public required TapQueue Passed { get; init; }

    /// <summary>Whether one side has already closed.</summary>
    public bool IsEnding => Volatile.Read(ref _end) != (int)RelayEnd.None;

    /// <summary>Relays bytes until one side closes. Returns which side, and how.</summary>
    /// <param name="fromBot">What the bot has already sent.</param>
    /// <param name="fromGame">What the game has already sent.</param>
    public async Task<RelayEnd> RunAsync(byte[] fromBot, byte[] fromGame)
    {
        var up = Start("bot to game", () => PassUp(fromBot));
        var down = Start("game to bot", () => PassDown(fromGame));
        await Task.WhenAny(up, down);
        try
        {
            await Task.WhenAll(up, down).WaitAsync(EndTimeout, _clock);
        }
        catch (TimeoutException)
        {
            // The connection is aborted below.
        }
        _bot.Dispose();
        _game.Dispose();
        await Task.WhenAll(up, down);
        return (RelayEnd)_end;
    }

    /// <summary>Ends both connections at once.</summary>
    public void Abort()
    {
        _bot.TryShutdown(SocketShutdown.Both);
        _game.TryShutdown(SocketShutdown.Both);
    }

    /// <inheritdoc cref="GameWriter.Send"/>
    public void Send(Request request, Action<ReadOnlyMemory<byte>?> answered) => _writer.Send(request, answered);

    // Set before the other side is closed, because only the first end is the cause.
    private void End(RelayEnd how) => Interlocked.CompareExchange(ref _end, (int)how, (int)RelayEnd.None);

    private void PassUp(byte[] first)
    {
        var parser = new WebSocketFrameParser();
        var copy = new MessageCopy();
        var parts = new List<WebSocketPart>();
        var timer = new MessageTimer(_clock);
        try
        {
            var botEnded = Pump(_bot, first, fromGame: false, (chunk, slot) =>
            {
                timer.Receive();
                Walk(ref parser, chunk, parts);
                // Set before the game can answer the close.
                foreach (var part in parts) _botSentClose |= part.IsClose;
                _writer.Pass(chunk, parser.IsAtBoundary);
                timer.PassOn();
                foreach (var part in parts) Tap(slot, chunk, part, copy, timer, fromGame: false);
            });
            End(_botSentClose ? RelayEnd.BotClosed : botEnded ? RelayEnd.BotLost : RelayEnd.GameLost);
        }
        finally
        {
            copy.Drop();
            _writer.EndBot();
        }
    }

    private void PassDown(byte[] first)
    {
        var parser = new WebSocketFrameParser();
        var copy = new MessageCopy();
        var parts = new List<WebSocketPart>();
        var timer = new MessageTimer(_clock);
        var held = new HeldMessage();
        var passing = new List<WebSocketPart>();
        var gameSentClose = false;
        try
        {
            var gameEnded = Pump(_game, first, fromGame: true, (chunk, slot) =>
            {
                timer.Receive();
                var sent = 0;
                // A close that answers that of the bot does not count as the game's own.
                var botSentClose = _botSentClose;
                // Bytes received before one of the proxy's requests was sent cannot answer it.
                var isAllBots = !held.IsOpen && !_own.AnyOutstanding;
                if (isAllBots)
                {
                    _bot.SendAll(chunk);
                    sent = chunk.Length;
                    timer.PassOn();
                }
                Walk(ref parser, chunk, parts);
                passing.Clear();
                foreach (var part in parts)
                {
                    gameSentClose |= part.IsClose && !botSentClose;
                    if (part.Opens && !isAllBots) Open(held, timer);
                    if (!held.IsOpen || part.IsControl)
                    {
                        passing.Add(part);
                        continue;
                    }
                    // Forward everything before it; hold the message until it is complete.
                    _bot.SendAll(chunk[sent..part.Start]);
                    sent = part.End;
                    held.Add(chunk, part);
                    if (held.IsTooLarge)
                    {
                        PassOn(held);
                        copy.Drop();
                    }
                    else if (part.Closes)
                    {
                        // Keep the order: inspect the messages before it first.
                        timer.PassOn();
                        foreach (var passed in passing) Tap(slot, chunk, passed, copy, timer, fromGame: true);
                        passing.Clear();
                        PassOrTake(slot, held);
                    }
                }
                if (!isAllBots)
                {
                    _bot.SendAll(chunk[sent..]);
                    timer.PassOn();
                }
                foreach (var part in passing) Tap(slot, chunk, part, copy, timer, fromGame: true);
            });
            End(_botSentClose && !gameSentClose ? RelayEnd.BotClosed : gameEnded ? RelayEnd.GameLost : RelayEnd.BotLost);
        }
        finally
        {
            copy.Drop();
            held.End();
            _writer.EndGame();
            _bot.TryShutdown(SocketShutdown.Send);
        }
    }

    /// <summary>Called at the beginning of a message of the game.</summary>
    private void Open(HeldMessage held, MessageTimer timer)
    {
        // A message inside another one breaks the protocol. It is forwarded, and the bot handles it.
        if (held.IsOpen) PassOn(held);
        if (_own.AnyOutstanding) held.Begin(timer.Received);
    }

    /// <summary>Forwards the held part of a message to the bot.</summary>
    private void PassOn(HeldMessage held)
    {
        _bot.SendAll(held.Bytes);
        held.End();
    }

    /// <summary>Passes a complete held message to its receiver: the bot or the proxy's own request.</summary>
    private void PassOrTake(TapSlot slot, HeldMessage held)
    {
        if (held.Payload is not { } payload)
        {
            PassOn(held);
            return;
        }
        if (_own.TryComplete(payload.Memory))
        {
            held.End();
            return;
        }
        payload.Retain();
        var firstByte = held.FirstByte;
        PassOn(held);
        var passedOn = _clock.GetTimestamp();
        Passed.Add(slot, new TappedMessage(true, payload, firstByte, passedOn, _clock.GetElapsedTime(firstByte, passedOn)));
    }

    private void Tap(TapSlot slot, ReadOnlySpan<byte> chunk, in WebSocketPart part, MessageCopy copy, MessageTimer timer, bool fromGame)
    {
        if (part.IsControl) return;
        if (part.Opens) timer.Begin();
        if (copy.Add(chunk, part) is not { } payload)
        {
            if (part.Closes) timer.End();
            return;
        }
        Passed.Add(slot, new TappedMessage(fromGame, payload, timer.FirstByte, timer.LastPassedOn, timer.End()));
    }

    private static void Walk(ref WebSocketFrameParser parser, ReadOnlySpan<byte> chunk, List<WebSocketPart> parts)
    {
        parts.Clear();
        var position = 0;
        while (parser.TryNext(chunk, ref position, out var part)) parts.Add(part);
    }

    private delegate void ChunkHandler(ReadOnlySpan<byte> chunk, TapSlot slot);

    /// <summary>Forwards everything that is received. Returns whether the sender has ended the connection.</summary>
    private bool Pump(Socket from, byte[] first, bool fromGame, ChunkHandler handle)
    {
        var chunk = GC.AllocateUninitializedArray<byte>(ChunkBytes, pinned: true);
        var received = 0;
        if (first.Length > 0 && !TryHandle(handle, first, fromGame)) return false;
        while (true)
        {
            try
            {
                received = from.Receive(chunk);
            }
            catch (Exception e) when (SocketIo.IsGone(e))
            {
                return true;
            }
            if (received == 0) return true;
            if (!TryHandle(handle, chunk.AsSpan(0, received), fromGame)) return false;
        }
    }

    private bool TryHandle(ChunkHandler handle, ReadOnlySpan<byte> chunk, bool fromGame)
    {
        // Reserved before the chunk is sent, because the receiver may reply before the chunk was copied.
        var slot = Passed.Reserve();
        try
        {
            handle(chunk, slot);
            return true;
        }
        catch (Exception e) when (SocketIo.IsGone(e))
        {
            return false;
        }
        finally
        {
            Passed.Complete(slot, fromGame);
        }
    }

    private static Task Start(string name, System.Action action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            try
            {
                action();
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        })
        { IsBackground = true, Name = name, Priority = ThreadPriority.AboveNormal }.Start();
        return done.Task;
    }
}
