using Abathur.Tests;
using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>What a frame allocates, in steady state. Alone, because what is allocated counts in the whole process.</summary>
[Collection(nameof(Alone))]
[Trait(Kinds.Trait, Kinds.Measured)]
public class AllocationTests
{
    private const int Frames = 1000;

    /// <summary>Of all frames together. The smallest object has 24 bytes, so that one for each frame is seen. The runtime's pool of waiting
    /// methods may miss a few times when a wait ends on another thread, and the task that measures counts as well.</summary>
    private const int MaxBytes = 4 * Frames;

    [Theory]
    [InlineData("unlimited")]
    [InlineData("50")]
    public async Task ColumnsInAZstdStream_AllocateNothing(string rate)
    {
        using var daemon = await DaemonProcess.StartAsync("play", CommittedRecording.Path, "--rate", rate, "--loop");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        var options = new SubscribeOptions
        {
            Policy = SubscribePolicy.Every,
            Encoding = FrameEncoding.Columns,
            Compression = FrameCompression.ZstdStream,
            Credits = 32,
        };
        await using var frames = game.Frames(options).GetAsyncEnumerator();
        // More than once through the recording: the largest frame was seen, and every path was compiled.
        var sum = await ReadAsync(frames, 2 * Frames);
        await Allocated.AtMostInProcessAsync(MaxBytes, async () => sum += await ReadAsync(frames, Frames));
        Assert.NotEqual(0, sum);
    }

    private static async Task<float> ReadAsync(IAsyncEnumerator<GameFrame> frames, int count)
    {
        var sum = 0f;
        for (var i = 0; i < count; i++)
        {
            Assert.True(await frames.MoveNextAsync());
            var units = frames.Current.Units;
            foreach (var unit in units.Where(Alliance.Self)) sum += unit.Health + unit.X + unit.Y;
            sum += units.ByTag(1)?.Health ?? 1;
            sum += frames.Current.Events.Count;
        }
        return sum;
    }
}
