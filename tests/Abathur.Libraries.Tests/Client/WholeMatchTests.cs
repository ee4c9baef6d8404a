using SC2APIProtocol;

namespace Abathur.Client.Tests;

/// <summary>A whole match: 15,400 frames that were rebuilt from a replay.</summary>
public class WholeMatchTests
{
    private const int Frames = 15_400;

    [SharedFact("sequences")]
    [Trait(Kinds.Trait, Kinds.Matrix)]
    public async Task EveryFrame_IsTheObservationOfTheSource()
    {
        using var folder = new TemporaryFolder();
        var sequence = SharedData.PathTo("sequences", "odyssey-zvp-full.obs.zst");
        var recording = Path.Combine(folder.Path, "odyssey.mcap");
        await DaemonProcess.RunAsync("import", sequence, "-o", recording);
        using var daemon = await DaemonProcess.StartAsync("play", recording, "--rate", "unlimited", "--wait-agents", "2");
        await using var game = await AbathurGame.ConnectAsync(daemon.Socket);
        // Byte for byte in protobuf, and message for message in columns, at the same time.
        await Task.WhenAll(
            Task.Run(() => CompareAsync(game, sequence, new SubscribeOptions { Policy = SubscribePolicy.Every }, IsSameBytes)),
            Task.Run(() => CompareAsync(game, sequence, new SubscribeOptions
            {
                Policy = SubscribePolicy.Every,
                Encoding = FrameEncoding.Columns,
                Compression = FrameCompression.ZstdStream,
            }, IsSameMessage)));
    }

    private static async Task CompareAsync(
        AbathurGame game, string sequence, SubscribeOptions options, Func<byte[], GameFrame, bool> isSame)
    {
        using var expected = SequenceFile.Frames(sequence).GetEnumerator();
        var frames = 0;
        await foreach (var frame in game.Frames(options))
        {
            Assert.True(expected.MoveNext());
            Assert.True(isSame(expected.Current, frame), $"frame {frame.Sequence} differs");
            Assert.Equal((ulong)++frames, frame.Sequence);
        }
        Assert.Equal(Frames, frames);
    }

    private static bool IsSameBytes(byte[] expected, GameFrame frame) => frame.ObservationBytes.Span.SequenceEqual(expected);

    private static bool IsSameMessage(byte[] expected, GameFrame frame)
    {
        var message = ResponseObservation.Parser.ParseFrom(expected);
        var byTag = message.Observation.RawData.Units.ToDictionary(unit => unit.Tag);
        message.Observation.RawData.Units.Clear();
        foreach (var tag in frame.Units.Tag) message.Observation.RawData.Units.Add(byTag[tag]);
        return message.Equals(frame.Response);
    }
}
