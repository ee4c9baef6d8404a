using NATS.Client.Core;
using NATS.Client.JetStream;
using static Abathur.Client.Nats.Tests.Relayed;

namespace Abathur.Client.Nats.Tests;

/// <summary>Servers, streams and consumers of NATS that are killed or deleted.</summary>
public sealed class NatsFaultTests
{
    [NatsFact]
    public async Task KilledServer_LosesNoFrame()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server, "--rate", "4");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        var expected = FirstGameLoop;
        await game.Playback.ResumeAsync();
        await foreach (var frame in game.Frames(Every))
        {
            Assert.Equal((expected++, 0ul), (frame.GameLoop, frame.Dropped));
            if (expected == FirstGameLoop + 200) server.Restart();
        }
        Assert.Equal(LastGameLoop + 1, expected);
    }

    [NatsFact]
    public async Task DeletedConsumers_LoseNoFrame()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server, "--rate", "8");
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        await using var administrator = new NatsConnection(NatsOpts.Default with { Url = $"nats://127.0.0.1:{server.Port}" });
        var stream = new NatsJSContext(administrator);
        var (expected, deleted) = (FirstGameLoop, 0);
        await game.Playback.ResumeAsync();
        await foreach (var frame in game.Frames(Every))
        {
            Assert.Equal((expected++, 0ul), (frame.GameLoop, frame.Dropped));
            if (expected % 300 != 0) continue;
            await foreach (var consumer in stream.ListConsumersAsync("ABATHUR_m"))
            {
                await stream.DeleteConsumerAsync("ABATHUR_m", consumer.Info.Name);
                deleted++;
            }
        }
        Assert.Equal(LastGameLoop + 1, expected);
        Assert.InRange(deleted, 1, int.MaxValue);
    }

    [NatsFact]
    public async Task DeletedStream_IsReadAnewWhenItIsThereAgain()
    {
        using var server = NatsServer.Run();
        using var daemon = await PlayAsync(server);
        await using var game = await NatsGame.ConnectAsync(server.Match(), Patient);
        await using var administrator = new NatsConnection(NatsOpts.Default with { Url = $"nats://127.0.0.1:{server.Port}" });
        await game.Playback.ResumeAsync();
        var (before, isDeleted) = (0u, false);
        await foreach (var frame in game.Frames(Every))
        {
            // What was not stored again in time is counted, and everything comes in order.
            Assert.Equal(before == 0 ? FirstGameLoop : before + 1 + (uint)frame.Dropped, frame.GameLoop);
            before = frame.GameLoop;
            if (before < FirstGameLoop + 60 || isDeleted) continue;
            await new NatsJSContext(administrator).DeleteStreamAsync("ABATHUR_m");
            isDeleted = true;
            await game.Playback.SetRateAsync(10);
        }
        Assert.Equal(LastGameLoop, before);
    }
}
