using System.Net;
using System.Net.Sockets;
using Abathur.Sync.Sources.Proxy;

namespace Abathur.Sync.Tests.Sources.Proxy;

public class ProxyRelayTests
{
    [Fact]
    public async Task RunAsync_RequestThatOvertakesTheCopyOfAnAnswer_IsReadAfterIt()
    {
        var (bot, botSide) = await ConnectAsync();
        var (game, gameSide) = await ConnectAsync();
        using var clock = new StoppingClock("game to bot");
        using var passed = new TapQueue(TimeProvider.System);
        var relay = new ProxyRelay(botSide, gameSide, clock) { Passed = passed };
        var running = relay.RunAsync([], []);
        bot.SendAll(WebSocketFrame.ToBinaryMessage([1]));
        await ReadAsync(game, WebSocketFrame.ToBinaryMessage([1]).Length);

        // The answer reaches the bot; the thread that has sent it stands still before it has copied it.
        game.SendAll(WireFrames.Frame(WireFrames.Binary, [2]));
        await ReadAsync(bot, WireFrames.Frame(WireFrames.Binary, [2]).Length);
        await clock.Stopped;
        bot.SendAll(WebSocketFrame.ToBinaryMessage([3]));
        await ReadAsync(game, WebSocketFrame.ToBinaryMessage([3]).Length);
        // The end of the bot's bytes reaches the game after the request has been copied.
        bot.Shutdown(SocketShutdown.Send);
        Assert.Equal(0, await game.ReceiveAsync(new byte[1]));
        Assert.Equal([1], Take(passed));
        clock.GoOn();
        game.Dispose();
        await running;

        Assert.Equal([2, 3], Take(passed));
        Assert.Equal(0, passed.Dropped);
        bot.Dispose();
    }

    private static async Task<(Socket Client, Socket Server)> ConnectAsync()
    {
        using var listener = new Socket(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var client = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.LocalEndPoint!);
        return (client, await listener.AcceptAsync());
    }

    private static async Task ReadAsync(Socket socket, int count)
    {
        var left = new byte[count].AsMemory();
        while (!left.IsEmpty) left = left[await socket.ReceiveAsync(left)..];
    }

    private static List<byte> Take(TapQueue queue)
    {
        var taken = new List<byte>();
        while (queue.TryTake(out var message))
        {
            taken.Add(message.Payload.Span[0]);
            message.Payload.Release();
        }
        return taken;
    }

    /// <summary>The system's clock; a thread that asks it a second time stands still there: the relay asks before it sends a chunk, and
    /// after.</summary>
    private sealed class StoppingClock(string thread) : TimeProvider, IDisposable
    {
        private readonly TaskCompletionSource _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _gate = new();
        private int _asked;

        public Task Stopped => _stopped.Task;

        public void GoOn() => _gate.Set();

        public override long GetTimestamp()
        {
            if (Thread.CurrentThread.Name == thread && ++_asked == 2)
            {
                _stopped.SetResult();
                _gate.Wait();
            }
            return base.GetTimestamp();
        }

        public void Dispose() => _gate.Dispose();
    }
}
