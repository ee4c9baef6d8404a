using System.Net.Sockets;
using SC2APIProtocol;

namespace Abathur.Sync.Sc2Api.Proxy;

/// <summary>
/// Passes bytes between a bot and its game, each way on a thread of its own with blocking sockets: nothing waits for the thread pool, which
/// agents may keep busy. Bytes go on first; then the messages in them are copied for whoever looks at them.
/// </summary>
/// <remarks>
/// A message of the game is held back whole only while a request of the proxy's own is unanswered, because its id, by which its answer is
/// told, stands at its end.
/// </remarks>
internal sealed class ProxyRelay(Socket bot, Socket game, TimeProvider clock)
{
    private const int ChunkBytes = 256 * 1024;

    /// <summary>How long the other side may take to end after one has.</summary>
    private static readonly TimeSpan EndTimeout = TimeSpan.FromSeconds(5);

    /// <summary>Held by who writes to the game, from the first byte of a message to its last.</summary>
    private readonly object _gameGate = new();
    private readonly OwnRequests _own = new();
    private bool _gameIsGone;

    /// <summary>Called with each message that has passed, on the thread that passed it. Must not block. Takes over the payload's reference.</summary>
    public required Action<TappedMessage> Passed { get; init; }

    /// <summary>Passes bytes until one side ends. Returns whether it was the game that ended first.</summary>
    /// <param name="fromBot">What the bot has sent already.</param>
    /// <param name="fromGame">What the game has sent already.</param>
    public async Task<bool> RunAsync(byte[] fromBot, byte[] fromGame)
    {
        var up = Start("bot to game", () => PassUp(fromBot));
        var down = Start("game to bot", () => PassDown(fromGame));
        var first = await Task.WhenAny(up, down);
        try
        {
            await Task.WhenAll(up, down).WaitAsync(EndTimeout, clock);
        }
        catch (TimeoutException)
        {
            // It is cut off below.
        }
        bot.Dispose();
        game.Dispose();
        await Task.WhenAll(up, down);
        return await first;
    }

    /// <summary>Ends both connections at once.</summary>
    public void Abort()
    {
        Close(bot, SocketShutdown.Both);
        Close(game, SocketShutdown.Both);
    }

    /// <summary>Sends a request between the bot's. Waits for the end of the message that the bot is sending.</summary>
    /// <param name="request">The request. Its id is set.</param>
    /// <param name="answered">Told the serialized <c>Response</c>, valid during the call; or null when none will come. Must not block.</param>
    public void Send(Request request, Action<ReadOnlyMemory<byte>?> answered)
    {
        lock (_gameGate)
        {
            if (_gameIsGone)
            {
                answered(null);
                return;
            }
            var message = _own.ToMessage(request, answered);
            try
            {
                SendAll(game, message);
            }
            catch (Exception e) when (IsGone(e))
            {
                _gameIsGone = true;
                _own.Close();
            }
        }
    }

    /// <summary>Returns whether it was the game that ended it.</summary>
    private bool PassUp(byte[] first)
    {
        var walker = new WebSocketWalker();
        var copy = new MessageCopy();
        var parts = new List<WebSocketPart>();
        var timer = new MessageTimer(clock);
        var holdsGate = false;
        try
        {
            return !Pump(bot, first, chunk =>
            {
                timer.Receive();
                Walk(ref walker, chunk, parts);
                if (!holdsGate) Monitor.Enter(_gameGate, ref holdsGate);
                SendAll(game, chunk);
                if (walker.IsAtBoundary)
                {
                    Monitor.Exit(_gameGate);
                    holdsGate = false;
                }
                timer.PassOn();
                foreach (var part in parts) Tap(chunk, part, copy, timer, fromGame: false);
            });
        }
        finally
        {
            if (holdsGate) Monitor.Exit(_gameGate);
            copy.Drop();
            Close(game, SocketShutdown.Send);
        }
    }

    /// <inheritdoc cref="PassUp"/>
    private bool PassDown(byte[] first)
    {
        var walker = new WebSocketWalker();
        var copy = new MessageCopy();
        var parts = new List<WebSocketPart>();
        var timer = new MessageTimer(clock);
        var held = new HeldMessage();
        var passing = new List<WebSocketPart>();
        try
        {
            return Pump(game, first, chunk =>
            {
                timer.Receive();
                Walk(ref walker, chunk, parts);
                passing.Clear();
                var sent = 0;
                foreach (var part in parts)
                {
                    if (part.Opens && _own.AnyOutstanding) held.Begin();
                    if (!held.IsOpen || part.IsControl)
                    {
                        passing.Add(part);
                        continue;
                    }
                    // Everything before it goes on; it stays, until it is whole.
                    SendAll(bot, chunk[sent..part.Start]);
                    sent = part.End;
                    held.Add(chunk, part);
                    if (held.IsTooLarge)
                    {
                        SendAll(bot, held.Bytes);
                        held.End();
                        copy.Drop();
                    }
                    else if (part.Closes)
                    {
                        PassOrTake(held);
                    }
                }
                SendAll(bot, chunk[sent..]);
                timer.PassOn();
                foreach (var part in passing) Tap(chunk, part, copy, timer, fromGame: true);
            });
        }
        finally
        {
            copy.Drop();
            held.End();
            lock (_gameGate) _gameIsGone = true;
            _own.Close();
            Close(bot, SocketShutdown.Send);
        }
    }

    /// <summary>A message that was held goes to whom it answers.</summary>
    private void PassOrTake(HeldMessage held)
    {
        var received = clock.GetTimestamp();
        if (held.Payload is not { } payload || !_own.TryComplete(payload.Memory))
        {
            SendAll(bot, held.Bytes);
            if (held.Payload is { } bots)
            {
                bots.Retain();
                var passedOn = clock.GetTimestamp();
                Passed(new TappedMessage(true, bots, received, passedOn, clock.GetElapsedTime(received, passedOn)));
            }
        }
        held.End();
    }

    private void Tap(ReadOnlySpan<byte> chunk, in WebSocketPart part, MessageCopy copy, MessageTimer timer, bool fromGame)
    {
        if (part.IsControl) return;
        if (part.Opens) timer.Begin();
        if (copy.Add(chunk, part) is not { } payload)
        {
            if (part.Closes) timer.End();
            return;
        }
        Passed(new TappedMessage(fromGame, payload, timer.FirstByte, timer.LastPassedOn, timer.End()));
    }

    private static void Walk(ref WebSocketWalker walker, ReadOnlySpan<byte> chunk, List<WebSocketPart> parts)
    {
        parts.Clear();
        var position = 0;
        while (walker.TryNext(chunk, ref position, out var part)) parts.Add(part);
    }

    private delegate void ChunkHandler(ReadOnlySpan<byte> chunk);

    /// <summary>Hands on what is received until there is no more; returns whether it was the sender that ended it.</summary>
    private static bool Pump(Socket from, byte[] first, ChunkHandler handle)
    {
        var chunk = GC.AllocateUninitializedArray<byte>(ChunkBytes, pinned: true);
        var received = 0;
        if (first.Length > 0 && !TryHandle(handle, first)) return false;
        while (true)
        {
            try
            {
                received = from.Receive(chunk);
            }
            catch (Exception e) when (IsGone(e))
            {
                return true;
            }
            if (received == 0) return true;
            if (!TryHandle(handle, chunk.AsSpan(0, received))) return false;
        }
    }

    private static bool TryHandle(ChunkHandler handle, ReadOnlySpan<byte> chunk)
    {
        try
        {
            handle(chunk);
            return true;
        }
        catch (Exception e) when (IsGone(e))
        {
            return false;
        }
    }

    private static void SendAll(Socket to, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty) bytes = bytes[to.Send(bytes)..];
    }

    private static void Close(Socket socket, SocketShutdown how)
    {
        try
        {
            socket.Shutdown(how);
        }
        catch (Exception e) when (IsGone(e))
        {
            // It is closed already.
        }
    }

    private static bool IsGone(Exception e) => e is SocketException or ObjectDisposedException;

    private static Task<bool> Start(string name, Func<bool> action)
    {
        var done = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            try
            {
                done.SetResult(action());
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        })
        { IsBackground = true, Name = name }.Start();
        return done.Task;
    }
}
