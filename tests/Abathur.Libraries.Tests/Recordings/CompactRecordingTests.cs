using Abathur.Columns.Tests;
using Abathur.Mcap;
using Abathur.Recordings.Conversion;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;
using Event = Abathur.Sync.V1.Event;

namespace Abathur.Recordings.Tests;

/// <summary>Recordings whose observations are columns: the same messages as in full form, in the same order.</summary>
public class CompactRecordingTests
{
    private const long Second = 1_000_000_000;
    private static readonly RecordingOptions Compact = new() { Compact = true, ChunkSizeBytes = 4096 };

    [Fact]
    public void ReadNext_EachFrame_IsEqualToTheRecordedOne()
    {
        var loops = Loops(100);
        using var reader = RecordingSample.Open(RecordingSample.Write(loops, Compact));
        Assert.Equal((100, 0u, 99u, false), (reader.FrameCount, reader.FirstGameLoop, reader.LastGameLoop, reader.Truncated));
        Assert.Equal("Testmap LE", ResponseGameInfo.Parser.ParseFrom(reader.GameInfo!.Value.Span).MapName);
        foreach (var loop in loops)
        {
            Assert.True(reader.ReadNext(out var frame));
            Assert.Equal((loop, loop * Second, loop), (frame.GameLoop, frame.CapturedUnixNs, frame.Sequence));
            AssertSame(RecordingSample.Observation(loop), frame.Payload);
        }
        Assert.False(reader.ReadNext(out _));
        Assert.True(reader.Mcap.Statistics.ChunkCount > 2, "one chunk shows nothing");
        Assert.DoesNotContain(reader.Mcap.Channels.Values, channel => channel.Topic == RecordingTopics.Observation);
    }

    [Fact]
    public void SeekToGameLoop_AnyLoop_FindsItsFrame()
    {
        using var reader = RecordingSample.Open(RecordingSample.Write(Loops(100).Select(loop => loop * 3), Compact));
        foreach (var loop in new uint[] { 0, 1, 150, 149, 296, 297, 30 })
        {
            Assert.True(reader.SeekToGameLoop(loop));
            Assert.True(reader.ReadNext(out var frame));
            var expected = (loop + 2) / 3 * 3;
            Assert.Equal((expected, expected / 3), (frame.GameLoop, frame.Sequence));
            AssertSame(RecordingSample.Observation(expected), frame.Payload);
        }
        Assert.False(reader.SeekToGameLoop(298));
        Assert.Equal([90u, 93, 96], reader.ReadBetween(90, 99).Select(frame => frame.GameLoop));
    }

    [Fact]
    public void ReadMessages_AllTopics_AreInTheOrderInWhichTheyWereWritten()
    {
        var (full, compact) = (WriteAllTopics(new RecordingOptions { ChunkSizeBytes = 4096 }), WriteAllTopics(Compact));
        var written = Messages(full);
        Assert.Equal(written, Messages(compact));
        Assert.Equal(
            [RecordingTopics.Events, RecordingTopics.Drawings, RecordingTopics.Observation, RecordingTopics.Actions],
            written.Select(message => message.Topic).Distinct());
        using var reader = RecordingSample.Open(compact);
        Assert.Equal(written.Select(message => message.Topic).Order().Distinct(), reader.Topics.Order());
        // What is drawn at a frame, also behind a seek.
        foreach (var loop in new uint[] { 0, 7, 55, 54 })
        {
            reader.SeekToGameLoop(loop);
            reader.ReadNext(out _);
            Assert.Equal(loop / 5 * 5, Drawings.Parser.ParseFrom(reader.Drawings.Span).GameLoop);
        }
    }

    [Fact]
    public void WriteObservation_NotProtobuf_IsStoredWhole()
    {
        byte[] damaged = [0x0a, 0xff];
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, Compact, leaveOpen: true))
        {
            for (var loop = 0u; loop < 50; loop++)
                writer.WriteObservation(loop, loop * Second, loop is 20 or 21 or 49 ? damaged : RecordingSample.Observation(loop));
            Assert.Equal(50, writer.ObservationCount);
        }
        using var reader = RecordingSample.Open(output.ToArray());
        Assert.Equal(50, reader.FrameCount);
        for (var loop = 0u; loop < 50; loop++)
        {
            Assert.True(reader.ReadNext(out var frame));
            Assert.Equal((loop, loop * Second, loop), (frame.GameLoop, frame.CapturedUnixNs, frame.Sequence));
            if (loop is 20 or 21 or 49) Assert.Equal(damaged, frame.Payload.ToArray());
            else AssertSame(RecordingSample.Observation(loop), frame.Payload);
        }
        Assert.True(reader.SeekToGameLoop(21));
        Assert.True(reader.ReadNext(out var found));
        Assert.Equal(damaged, found.Payload.ToArray());
    }

    /// <summary>A killed process leaves its file up to the last complete chunk: no fewer frames than in full form.</summary>
    [Fact]
    public void WriteObservation_KilledWriter_LosesNoMoreThanInFullForm()
    {
        var (full, compact) = (Killed(new RecordingOptions { ChunkSizeBytes = 4096 }), Killed(Compact));
        Assert.InRange(compact, full, 99);
    }

    [Fact]
    public void Open_CutFile_ReadsWhatIsCompleteAndRecovers()
    {
        var file = RecordingSample.Write(Loops(200), Compact);
        using var folder = new TemporaryFolder();
        foreach (var length in new[] { file.Length - 1, file.Length * 3 / 4, file.Length / 2 })
        {
            List<uint> loops;
            using (var cut = RecordingSample.Open(file, length))
            {
                Assert.True(cut.Truncated);
                loops = RecordingSample.ReadLoops(cut);
                Assert.Equal((loops.Count, loops[^1]), (cut.FrameCount, cut.LastGameLoop));
            }
            Assert.Equal(Loops(loops.Count), loops);
            File.WriteAllBytes(folder.PathTo("cut.mcap"), file[..length]);
            RecordingRecovery.Recover(folder.PathTo("cut.mcap"), folder.PathTo("whole.mcap"), overwrite: true);
            using var whole = RecordingReader.Open(folder.PathTo("whole.mcap"));
            Assert.Equal((false, (long)loops.Count), (whole.Truncated, whole.FrameCount));
            Assert.Equal(loops, RecordingSample.ReadLoops(whole));
        }
    }

    [Fact]
    public void Rewrite_ToCompactAndBack_KeepsAllMessages()
    {
        var full = WriteAllTopics(new RecordingOptions { ChunkSizeBytes = 4096 }, foreign: true);
        var compact = Rewrite(full, Compact);
        Assert.Equal(Messages(full), Messages(compact));
        Assert.Equal(Messages(full), Messages(Rewrite(compact, new RecordingOptions())));
        using var reader = RecordingSample.Open(compact);
        Assert.Equal((RecordingSample.Match with { More = reader.Match.More }, 60), (reader.Match, reader.FrameCount));
        Assert.Equal("of the user", reader.Mcap.ReadMetadata(reader.Mcap.Metadata.Single(each => each.Name == "note")).Values["text"]);
        var attachment = reader.Mcap.ReadAttachment(Assert.Single(reader.Mcap.Attachments));
        Assert.Equal(("a.txt", 3), (attachment.Name, attachment.Data.Length));
        Assert.Contains("/mine", reader.Topics);
    }

    [Fact]
    public void Rewrite_Part_BeginsWithWhatIsInForceThere()
    {
        using var part = RecordingSample.Open(Rewrite(WriteAllTopics(new RecordingOptions(), withGameInfo: true), Compact, 23, 31));
        Assert.Equal((23u, 30u, 8L), (part.FirstGameLoop, part.LastGameLoop, part.FrameCount));
        Assert.NotNull(part.GameInfo);
        Assert.True(part.ReadNext(out _));
        Assert.Equal(20u, Drawings.Parser.ParseFrom(part.Drawings.Span).GameLoop);
    }

    [Fact]
    public void Open_DamagedSegments_SaysSoAndReadsTheOthers()
    {
        var frames = new ColumnsSegment { GameLoopSteps = { 0 }, LogTimeSteps = { 0 }, Payloads = { ByteString.CopyFrom(1, 1, 0) } };
        var uneven = new ColumnsSegment { GameLoopSteps = { 0, 1 }, LogTimeSteps = { 0 }, Payloads = { ByteString.Empty } };
        foreach (var bytes in new[] { [0xff], frames.ToByteArray(), uneven.ToByteArray() })
        {
            using var output = new MemoryStream();
            using (var mcap = new McapWriter(output, leaveOpen: true))
            {
                var schema = mcap.AddSchema("abathur.sync.v1.ColumnsSegment", "protobuf", default);
                var channel = mcap.AddChannel(schema, "/columns", "protobuf");
                mcap.WriteMessage(channel, 7, 1, 1, bytes);
            }
            var error = Assert.Throws<RecordingException>(() => RecordingSample.ReadLoops(RecordingSample.Open(output.ToArray())));
            Assert.Contains("the segment with sequence 7 is damaged", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void WriteAndRead_RandomRecordings_GiveTheSameMessages()
    {
        for (var seed = 0; seed < 60; seed++)
        {
            var options = new RecordingOptions { ChunkSizeBytes = 1024 << seed % 6, Compression = (McapCompression)(seed % 2) };
            Assert.Equal(
                Messages(WriteRandom(seed, options)), Messages(WriteRandom(seed, options with { Compact = true })));
        }
    }

    [SharedFact("sequences")]
    public void Rewrite_Sequences_KeepsEveryFrame()
    {
        using var folder = new TemporaryFolder();
        foreach (var file in SequenceFile.Tested())
        {
            var path = folder.PathTo("match.mcap");
            var options = new ImportOptions { StartTimeUnixNs = 1, Overwrite = true, Recording = new RecordingOptions { Compact = true } };
            RecordingImporter.Import([ImportInput.FromFile(file)], path, options);
            AssertHas(path, SequenceFile.Frames(file));
        }
    }

    [SharedFact("observations")]
    public void Import_EveryRealObservation_KeepsEach()
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathTo("real.mcap");
        var inputs = ImportInput.FromFolder(SharedData.PathTo("observations"));
        var options = new ImportOptions { StartTimeUnixNs = 1, Recording = new RecordingOptions { Compact = true } };
        RecordingImporter.Import(inputs, path, options);
        Assert.Equal(81, AssertHas(path, inputs.Select(input => File.ReadAllBytes(input.Name))));
    }

    private static int AssertHas(string path, IEnumerable<byte[]> observations)
    {
        var frames = 0;
        using var reader = RecordingReader.Open(path);
        foreach (var expected in observations)
        {
            Assert.True(reader.ReadNext(out var frame));
            AssertSame(expected, frame.Payload);
            frames++;
        }
        Assert.False(reader.ReadNext(out _));
        Assert.Equal(frames, reader.FrameCount);
        return frames;
    }

    private static IEnumerable<uint> Loops(int count) => Enumerable.Range(0, count).Select(loop => (uint)loop);

    private static void AssertSame(byte[] expected, ReadOnlyMemory<byte> actual) => SameObservation.Assert(
        ResponseObservation.Parser.ParseFrom(expected), ResponseObservation.Parser.ParseFrom(actual.Span));

    private static long Killed(RecordingOptions options)
    {
        using var output = new MemoryStream();
        using var writer = new RecordingWriter(output, RecordingSample.Match, options, leaveOpen: true);
        foreach (var loop in Loops(100)) writer.WriteObservation(loop, loop * Second, RecordingSample.Observation(loop));
        using var reader = RecordingSample.Open(output.ToArray());
        Assert.Equal(reader.FrameCount, writer.ObservationsWritten);
        return reader.FrameCount;
    }

    private static byte[] Rewrite(byte[] file, RecordingOptions options, uint start = 0, uint stop = uint.MaxValue)
    {
        using var reader = RecordingSample.Open(file);
        using var output = new MemoryStream();
        RecordingRewriter.Rewrite(reader, output, options, start, stop);
        return output.ToArray();
    }

    /// <summary>60 observations with drawings before each fifth one, actions behind some, and events at the time of others.</summary>
    private static byte[] WriteAllTopics(RecordingOptions options, bool foreign = false, bool withGameInfo = false)
    {
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, options, leaveOpen: true))
        {
            if (withGameInfo) writer.WriteGameInfo(0, new ResponseGameInfo { MapName = "Testmap LE" }.ToByteArray());
            writer.WriteEvent(0, new Event { MatchStarted = new() });
            for (var loop = 0u; loop < 60; loop++)
            {
                var captured = loop * Second;
                if (loop % 5 == 0) writer.WriteDrawings(loop, captured, new Drawings { GameLoop = loop }.ToByteArray());
                writer.WriteObservation(loop, captured, RecordingSample.Observation(loop));
                if (loop % 3 == 0) writer.WriteActions(loop, captured + Second / 2, new RequestAction().ToByteArray());
            }
            writer.WriteEvent(59 * Second, new Event { GameLoop = 59, MatchEnded = new() });
        }
        if (!foreign) return output.ToArray();
        return WithForeignRecords(output.ToArray());
    }

    /// <summary>The same file with a topic, metadata and an attachment of another program.</summary>
    private static byte[] WithForeignRecords(byte[] file)
    {
        using var reader = RecordingSample.Open(file);
        using var output = new MemoryStream();
        using (var writer = new McapWriter(output, leaveOpen: true))
        {
            writer.WriteMetadata(reader.Mcap.ReadMetadata(reader.Mcap.Metadata[0]));
            writer.WriteMetadata(new McapMetadata("note", new Dictionary<string, string> { ["text"] = "of the user" }));
            writer.WriteAttachment(new McapAttachment(1, 1, "a.txt", "text/plain", new byte[] { 1, 2, 3 }));
            foreach (var schema in reader.Mcap.Schemas.Values) writer.AddSchema(schema);
            foreach (var channel in reader.Mcap.Channels.Values) writer.AddChannel(channel);
            var mine = writer.AddChannel(0, "/mine", "json");
            using var messages = reader.Mcap.ReadMessages();
            while (messages.MoveNext())
            {
                var message = messages.Current;
                writer.WriteMessage(message.ChannelId, message.Sequence, message.LogTime, message.PublishTime, message.Data.Span);
                if (message.Sequence == 30) writer.WriteMessage(mine, 5, message.LogTime + 1, message.PublishTime, "{}"u8);
            }
        }
        return output.ToArray();
    }

    private static byte[] WriteRandom(int seed, RecordingOptions options)
    {
        var random = new Random(seed);
        var oneAction = new RequestAction { Actions = { new SC2APIProtocol.Action() } }.ToByteArray();
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, options, leaveOpen: true))
        {
            var (loop, captured) = (0u, 1L);
            for (var i = random.Next(200); i > 0; i--)
            {
                captured += random.Next(3) == 0 ? 0 : random.Next(1000);
                switch (random.Next(8))
                {
                    case 0: writer.WriteActions(loop, captured, oneAction); break;
                    case 1: writer.WriteEvent(captured, new Event { GameLoop = loop, MatchStarted = new() }); break;
                    case 2: writer.WriteDrawings(loop, captured, new Drawings { GameLoop = loop }.ToByteArray()); break;
                    case 3: writer.Flush(); break;
                    case 4: writer.WriteObservation(loop, captured, [0x0a, 0xff]); break;
                    default:
                        loop += (uint)random.Next(3);
                        writer.WriteObservation(loop, captured, RecordingSample.Observation(loop, random.Next(300)));
                        break;
                }
            }
        }
        return output.ToArray();
    }

    private sealed record Message(string Topic, string Schema, uint GameLoop, ulong LogTimeNs, uint Sequence, string Content);

    private static List<Message> Messages(byte[] file)
    {
        using var reader = RecordingSample.Open(file);
        return reader.ReadMessages().Select(message => new Message(
            message.Topic, message.SchemaName, message.GameLoop, message.LogTimeNs, message.Sequence, Content(message))).ToList();
    }

    // Columns may write fields in another order.
    private static string Content(in RecordedMessage message)
    {
        try
        {
            if (message.Topic == RecordingTopics.Observation) return ResponseObservation.Parser.ParseFrom(message.Payload.Span).ToString();
        }
        catch (InvalidProtocolBufferException)
        {
            // Stored whole.
        }
        return Convert.ToHexString(message.Payload.Span);
    }
}
