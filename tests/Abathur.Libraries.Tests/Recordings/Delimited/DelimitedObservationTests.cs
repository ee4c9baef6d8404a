using Abathur.Recordings.Delimited;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Recordings.Tests.Delimited;

public class DelimitedObservationTests
{
    [Fact]
    public void TryReadNext_WhatWasWritten_IsReadBack() =>
        Prop.ForAll<byte[][]>(observations =>
        {
            using var stream = new MemoryStream();
            var writer = new DelimitedObservationWriter(stream);
            foreach (var observation in observations) writer.Write(observation);
            stream.Position = 0;
            using var reader = new DelimitedObservationReader(new TricklingStream(stream), "it");
            foreach (var observation in observations)
            {
                if (!reader.TryReadNext(out var read) || !read.Span.SequenceEqual(observation)) return false;
            }
            return !reader.TryReadNext(out _) && reader.FrameCount == observations.Length && reader.Offset == writer.Bytes;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void TryReadNext_LargeObservations_AreReadBack()
    {
        using var stream = new MemoryStream();
        var writer = new DelimitedObservationWriter(stream);
        foreach (var size in new[] { 3_000_000, 5, 700_000 }) writer.Write(RecordingSample.Observation((uint)size, size));
        stream.Position = 0;
        using var reader = new DelimitedObservationReader(stream, "it");
        foreach (var size in new[] { 3_000_000, 5, 700_000 })
        {
            Assert.True(reader.TryReadNext(out var read));
            Assert.True(read.Span.SequenceEqual(RecordingSample.Observation((uint)size, size)));
        }
    }

    [Theory]
    [InlineData("0101FF", "ends inside the length of frame 1 (byte offset 2)")]
    [InlineData("010105AA", "ends inside frame 1 (byte offset 3)")]
    [InlineData("FFFFFFFFFF", "frame 0 (byte offset 0) would have more than")]
    [InlineData("FFFFFFFF0F", "frame 0 (byte offset 0) would have more than")]
    public void TryReadNext_Damaged_NamesFrameAndOffset(string hex, string expected)
    {
        using var reader = new DelimitedObservationReader(new MemoryStream(Convert.FromHexString(hex)), "the stream");
        var error = Assert.ThrowsAny<RecordingException>(() =>
        {
            while (reader.TryReadNext(out _)) { }
        });
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.StartsWith("the stream", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TryReadNext_LengthThatNothingFollows_TakesNoMemory()
    {
        Allocated.AtMost(1 << 20, () =>
        {
            using var reader = new DelimitedObservationReader(new MemoryStream([0x80, 0x80, 0x80, 0x30]), "it");
            Assert.ThrowsAny<RecordingException>(() => reader.TryReadNext(out _));
        });
    }

    // Gives a byte or a few at a time.
    private sealed class TricklingStream(Stream inner) : MemoryStream
    {
        private int _next;

        public override int Read(byte[] buffer, int offset, int count) => inner.Read(buffer, offset, Math.Min(count, 1 + _next++ % 3));
    }
}
