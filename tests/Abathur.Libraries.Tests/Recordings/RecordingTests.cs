using Abathur.Mcap;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Recordings.Tests;

public class RecordingTests
{
    [Fact]
    public void RecordingReader_WhatWasWritten_IsReadBack()
    {
        using var output = new MemoryStream();
        using (var writer = new RecordingWriter(output, RecordingSample.Match, leaveOpen: true))
        {
            writer.WriteGameInfo(1, new ResponseGameInfo { MapName = "Testmap LE" }.ToByteArray());
            writer.WriteGameData(2, new ResponseData { Units = { new UnitTypeData { Name = "Drone" } } }.ToByteArray());
            writer.WriteObservation(10, 1_700_000_000_000_000_000, RecordingSample.Observation(10));
            writer.WriteActions(10, 1_700_000_000_000_000_001, new RequestAction().ToByteArray());
            writer.WriteObservation(12, 1_700_000_000_100_000_000, RecordingSample.Observation(12));
            writer.WriteEvent(
                1_700_000_000_200_000_000,
                new Abathur.Sync.V1.Event { GameLoop = 12, MatchEnded = new Abathur.Sync.V1.Event.Types.MatchEnded() });
            Assert.Throws<InvalidOperationException>(() => writer.WriteGameData(2, default));
        }
        using var reader = RecordingSample.Open(output.ToArray());
        Assert.Equal(RecordingSample.Match with { More = reader.Match.More }, reader.Match);
        Assert.Empty(reader.Match.More);
        Assert.Equal((2L, 10u, 12u), (reader.FrameCount, reader.FirstGameLoop, reader.LastGameLoop));
        Assert.Equal(TimeSpan.FromSeconds(2 / 16.0), reader.Duration);
        Assert.False(reader.Truncated);
        Assert.Equal("Testmap LE", ResponseGameInfo.Parser.ParseFrom(reader.GameInfo!.Value.Span).MapName);
        Assert.Equal("Drone", ResponseData.Parser.ParseFrom(reader.GameData!.Value.Span).Units[0].Name);
        Assert.True(reader.ReadNext(out var first));
        Assert.Equal((10u, 1_700_000_000_000_000_000, 0u), (first.GameLoop, first.CapturedUnixNs, first.Sequence));
        Assert.Equal(RecordingSample.Observation(10), first.Payload.ToArray());
        Assert.True(reader.ReadNext(out var second));
        Assert.Equal((12u, 1u), (second.GameLoop, second.Sequence));
        Assert.False(reader.ReadNext(out _));
        Assert.Equal(
            [
                "/game_info", "/game_data", "/observation", "/actions", "/observation", "/events",
            ], reader.ReadMessages().Select(message => message.Topic));
    }

    [Fact]
    public void Schemas_OfARecording_AreDescriptorSetsWithAllImports()
    {
        using var reader = RecordingSample.Open(RecordingSample.Write([1]));
        Assert.Equal(2, reader.Mcap.Schemas.Count);
        foreach (var schema in reader.Mcap.Schemas.Values)
        {
            var set = Google.Protobuf.Reflection.FileDescriptorSet.Parser.ParseFrom(schema.Data.Span);
            var names = new HashSet<string>();
            foreach (var file in set.File)
            {
                Assert.All(file.Dependency, import => Assert.Contains(import, names));
                names.Add(file.Name);
            }
            Assert.Contains(set.File, file => file.MessageType.Any(message => $"{file.Package}.{message.Name}" == schema.Name));
        }
    }

    [Fact]
    public void SeekToGameLoop_EveryLoop_StandsBeforeTheFirstNotBelow()
    {
        // Even loops, each fifth one three times.
        var loops = Enumerable.Range(50, 300).SelectMany(i => Enumerable.Repeat((uint)i * 2, i % 5 == 0 ? 3 : 1)).ToArray();
        foreach (var file in Variants(loops))
        {
            using var reader = RecordingSample.Open(file);
            for (var loop = 90u; loop < 720; loop++)
            {
                var expected = loops.Where(l => l >= loop).ToArray();
                Assert.Equal(expected.Length > 0, reader.SeekToGameLoop(loop));
                Assert.Equal(expected.Length > 0, reader.ReadNext(out var found));
                Assert.Equal(expected.FirstOrDefault(), found.GameLoop);
                if (loop % 50 == 0) Assert.Equal(expected.Skip(1), RecordingSample.ReadLoops(reader));
            }
            reader.Rewind();
            Assert.Equal(loops, RecordingSample.ReadLoops(reader));
        }
    }

    [Fact]
    public void SeekToGameLoop_AnyRisingLoops_FindsTheRightOne() =>
        Prop.ForAll<ushort[], ushort>((steps, target) =>
        {
            var loops = steps.Select(step => (uint)step).Order().ToArray();
            using var reader = RecordingSample.Open(RecordingSample.Write(loops, new RecordingOptions { ChunkSizeBytes = 1024 }));
            reader.SeekToGameLoop(target);
            return RecordingSample.ReadLoops(reader).SequenceEqual(loops.Where(loop => loop >= target));
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(50)));

    [Fact]
    public void SeekToGameLoop_EqualLoopsThroughout_StandsAtTheFirst()
    {
        using var reader = RecordingSample.Open(
            RecordingSample.Write(Enumerable.Repeat(42u, 81), new RecordingOptions { ChunkSizeBytes = 1024 }));
        Assert.True(reader.SeekToGameLoop(42));
        Assert.Equal(81, RecordingSample.ReadLoops(reader).Count);
        Assert.True(reader.SeekToGameLoop(0));
        Assert.Equal(81, RecordingSample.ReadLoops(reader).Count);
        Assert.False(reader.SeekToGameLoop(43));
        Assert.False(reader.ReadNext(out _));
    }

    [Fact]
    public void RecordingReader_NoObservations_IsEmpty()
    {
        using var reader = RecordingSample.Open(RecordingSample.Write([]));
        Assert.Equal((0L, 0u, 0u, TimeSpan.Zero), (reader.FrameCount, reader.FirstGameLoop, reader.LastGameLoop, reader.Duration));
        Assert.False(reader.ReadNext(out _));
        Assert.False(reader.SeekToGameLoop(0));
    }

    [Fact]
    public void RecordingReader_Truncated_OpensUpToTheLastWholeChunk()
    {
        var file = RecordingSample.Write(Enumerable.Range(0, 100).Select(i => (uint)i), new RecordingOptions { ChunkSizeBytes = 1024 });
        int cut;
        using (var whole = RecordingSample.Open(file)) cut = (int)whole.Mcap.Chunks[whole.Mcap.Chunks.Count / 2].ChunkStartOffset + 100;
        using var reader = RecordingSample.Open(file[..cut]);
        Assert.True(reader.Truncated);
        var loops = RecordingSample.ReadLoops(reader);
        Assert.Equal(Enumerable.Range(0, loops.Count).Select(i => (uint)i), loops);
        Assert.InRange(loops.Count, 10, 90);
        Assert.Equal((uint)loops.Count - 1, reader.LastGameLoop);
        Assert.True(reader.SeekToGameLoop(5));
    }

    [Fact]
    public void RecordingReader_CutAtEveryByte_GivesAPrefixOrSaysWhyInOneLine()
    {
        var loops = Enumerable.Range(1, 8).Select(i => (uint)i).ToArray();
        // Of one topic: the schema, which is most of a small file, is in it twice as it is.
        var file = RecordingSample.Write(
            loops, new RecordingOptions { ChunkSizeBytes = 1024, Compression = McapCompression.None }, bytes: 60, hasGameInfo: false);
        var observations = loops.Select(loop => RecordingSample.Observation(loop, 60)).ToArray();
        var most = 0;
        foreach (var length in Runs.Cuts(file.Length))
        {
            var read = 0;
            try
            {
                using var reader = RecordingSample.Open(file, length);
                Assert.True(reader.Truncated);
                while (reader.ReadNext(out var observation))
                {
                    Assert.Equal(loops[read], observation.GameLoop);
                    Assert.True(observation.Payload.Span.SequenceEqual(observations[read]));
                    read++;
                }
                reader.SeekToGameLoop(5);
            }
            catch (Exception e) when (e is RecordingException or McapException)
            {
                Assert.DoesNotContain('\n', e.Message);
            }
            // More of the file never gives less of the match.
            Assert.True(read >= most, $"{read} observations in {length} bytes, {most} in fewer");
            most = read;
        }
        Assert.Equal(loops.Length, most);
    }

    [Fact]
    public void RecordingReader_OtherSchemaOrTopic_SaysWhatItWants()
    {
        using var test = new MemoryStream();
        using (var writer = new McapWriter(test, leaveOpen: true)) writer.WriteMessage(
            writer.AddChannel(0, "/test", "bytes"), 0, 0, 0, [1]);
        var none = Assert.Throws<RecordingException>(() => RecordingSample.Open(test.ToArray()));
        Assert.Contains("has no topic /observation, only /test", none.Message, StringComparison.Ordinal);
        using var output = new MemoryStream();
        using (var writer = new McapWriter(output, leaveOpen: true)) writer.AddChannel(
            writer.AddSchema("foo.Bar", "protobuf", default), "/observation", "protobuf");
        var other = Assert.Throws<RecordingException>(() => RecordingSample.Open(output.ToArray()));
        Assert.Contains("\"foo.Bar\"", other.Message, StringComparison.Ordinal);
        Assert.Contains("SC2APIProtocol.ResponseObservation", other.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Open_MissingOrFolder_SaysSo()
    {
        using var folder = new TemporaryFolder();
        Assert.Contains(
            "there is no file", Assert.Throws<RecordingException>(() => RecordingReader.Open(folder.PathTo("x"))).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "is a folder", Assert.Throws<RecordingException>(() => RecordingReader.Open(Path.GetTempPath())).Message,
            StringComparison.Ordinal);
    }

    private static IEnumerable<byte[]> Variants(uint[] loops)
    {
        yield return RecordingSample.Write(loops, new RecordingOptions { ChunkSizeBytes = 1024, Compression = McapCompression.None });
        yield return RecordingSample.Write(loops, new RecordingOptions { ChunkSizeBytes = 10_000 });
        // Without its end: no index.
        var cut = RecordingSample.Write([.. loops, 100_000], new RecordingOptions { ChunkSizeBytes = 1024 }, bytes: 1100);
        using (var whole = RecordingSample.Open(cut)) yield return cut[..(int)whole.Mcap.Chunks[^1].ChunkStartOffset];
        // As other tools may write it: publish times that are not game time, and no chunks.
        foreach (var chunks in new[] { true, false })
        {
            using var output = new MemoryStream();
            using (var writer = new McapWriter(output, new McapWriterOptions { Chunks = chunks, ChunkSizeBytes = 2000 }, leaveOpen: true))
            {
                var schema = writer.AddSchema(ResponseObservation.Descriptor.FullName, "protobuf", default);
                var channel = writer.AddChannel(schema, "/observation", "protobuf");
                for (var i = 0; i < loops.Length; i++)
                    writer.WriteMessage(channel, (uint)i, (ulong)i, (ulong)i, RecordingSample.Observation(loops[i]));
            }
            yield return output.ToArray();
        }
    }
}
