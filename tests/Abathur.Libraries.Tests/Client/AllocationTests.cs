using Abathur.Tests;
using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>What a frame allocates, in steady state. Alone, because what is allocated counts in the whole process.</summary>
[Collection(nameof(Alone))]
[Trait(Kinds.Trait, Kinds.Measured)]
public class AllocationTests
{
    private const int Frames = 1000;

    /// <summary>The second reader waits for each frame: the runtime's pool of waiting methods may miss a few times when a wait ends on
    /// another thread.</summary>
    /// <param name="rate">Rate of the playback.</param>
    /// <param name="maxBytes">Of all frames together, with the task that measures.</param>
    [Theory]
    [InlineData("unlimited", 900)]
    [InlineData("50", 4 * Frames)]
    public async Task ColumnsInAZstdStream_AllocateNothing(string rate, int maxBytes)
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
        await Allocated.AtMostInProcessAsync(maxBytes, async () => sum += await ReadAsync(frames, Frames));
        Assert.NotEqual(0, sum);
    }

    private static async Task<float> ReadAsync(IAsyncEnumerator<Frame> frames, int count)
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
