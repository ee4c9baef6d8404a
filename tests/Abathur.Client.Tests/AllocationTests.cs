using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>What a frame allocates, in steady state. Alone, because what is allocated counts in the whole process.</summary>
[Collection(nameof(Alone))]
public class AllocationTests
{
    [Fact]
    public async Task ColumnsInAZstdStream_AllocateNothing()
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", "unlimited", "--loop");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every, Encoding = FrameEncoding.Columns, Compression = FrameCompression.ZstdStream,
        };
        await using var frames = game.Frames(options).GetAsyncEnumerator();
        var sum = 0f;
        // Twice through the recording: the largest frame was seen, and every path was compiled.
        for (var i = 0; i < 3000; i++) await NextAsync();
        await Allocated.AtMostInProcessAsync(0, async () =>
        {
            for (var i = 0; i < 200; i++) await NextAsync();
        });
        Assert.NotEqual(0, sum);

        async ValueTask NextAsync()
        {
            Assert.True(await frames.MoveNextAsync());
            var units = frames.Current.Units;
            foreach (var unit in units.Where(Alliance.Self)) sum += unit.Health + unit.X + unit.Y;
            sum += units.ByTag(1)?.Health ?? 1;
            sum += frames.Current.Events.Count;
        }
    }
}
