using Abathur.Sync.Sources.Proxy;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Sources.Proxy;

public class WebSocketFrameParserTests
{
    [Fact]
    public void Walk_AnyMessagesInAnyChunks_AreTheSameMessages() =>
        Prop.ForAll(Arb.From(Streams), Arb.From(Gen.ListOf(Gen.Choose(1, 5000))), (messages, chunks) =>
        {
            var stream = messages.SelectMany(each => each.Wire).ToArray();
            var seen = Walk(stream, chunks.ToList(), out var parser);
            Assert.True(parser.IsAtBoundary);
            Assert.Equal(messages.Select(each => each.Payload), seen);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(100)));

    [Fact]
    public void Walk_SingleBytes_AreTheSameMessages()
    {
        var payload = Enumerable.Range(0, 70_000).Select(i => (byte)i).ToArray();
        foreach (var mask in new[] { 0u, 0x1234_5678u })
        {
            var stream = WireFrames.Message(WireFrames.Binary, payload, [3, 200, 69_000], mask, [1, 2, 3]);
            Assert.Equal([payload], Walk(stream, Enumerable.Repeat(1, stream.Length).ToList(), out _));
        }
    }

    [Fact]
    public void Walk_AnyBytes_NeitherThrowsNorStops() =>
        Prop.ForAll(Arb.From(Gen.ListOf(Gen.Choose(0, 255))), bytes =>
        {
            Walk([.. bytes.Select(each => (byte)each)], [7, 1, 1, 30], out _);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(100)));

    [Fact]
    public void Walk_LengthThatCannotBe_IsNotRead()
    {
        byte[] stream = [0x82, 127, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, .. WireFrames.Frame(WireFrames.Binary, [4])];
        Assert.Empty(Walk(stream, [], out var parser));
        Assert.False(parser.IsAtBoundary);
    }

    [Theory]
    [InlineData(WireFrames.Text, 4)]
    [InlineData(WireFrames.Binary, 4)]
    [InlineData(WireFrames.Reserved, 0)]
    [InlineData(WireFrames.Continuation, 0)]
    public void Walk_CompressedReservedOrWithoutABeginning_IsNoMessage(int opcode, int reservedBits)
    {
        byte[] stream = [.. WireFrames.Frame(opcode, [1, 2], reservedBits: reservedBits), .. WireFrames.Frame(WireFrames.Binary, [3])];
        Assert.Equal([[3]], Walk(stream, [2, 1], out _));
    }

    [Fact]
    public void Walk_MessageInsideAnother_IsTheOneThatEnds()
    {
        byte[] stream = [.. WireFrames.Frame(WireFrames.Binary, [1], isFinal: false), .. WireFrames.Frame(WireFrames.Binary, [2])];
        Assert.Equal([[2]], Walk(stream, [], out var parser));
        Assert.True(parser.IsAtBoundary);
    }

    [Fact]
    public void TryNext_Close_IsSeen()
    {
        var parser = new WebSocketFrameParser();
        var position = 0;
        byte[] stream = [.. WireFrames.Frame(WireFrames.Ping, []), .. WireFrames.Frame(WireFrames.Close, [3, 232])];
        Assert.True(parser.TryNext(stream, ref position, out var ping));
        Assert.True(parser.TryNext(stream, ref position, out var close));
        Assert.Equal((true, false, true, true), (ping.IsControl, ping.IsClose, close.IsControl, close.IsClose));
        Assert.False(parser.TryNext(stream, ref position, out _));
    }

    [Fact]
    public void ToBinaryMessage_AnySize_IsOneMaskedMessage()
    {
        foreach (var size in new[] { 0, 1, 125, 126, 65_535, 65_536, 200_001 })
        {
            var payload = Enumerable.Range(0, size).Select(i => (byte)(i * 7)).ToArray();
            var frame = WebSocketFrame.ToBinaryMessage(payload);
            Assert.Equal(0x80, frame[1] & 0x80);
            Assert.Equal([payload], Walk(frame, [], out _));
        }
    }

    [Fact]
    public void HeldMessage_AnyMessageInAnyChunks_KeepsItsBytes() =>
        Prop.ForAll(Arb.From(Messages), Arb.From(Gen.ListOf(Gen.Choose(1, 3000))), (message, chunks) =>
        {
            var held = new HeldMessage();
            var parser = new WebSocketFrameParser();
            var bytes = new List<byte>();
            foreach (var chunk in Chunks(message.Wire, chunks.ToList()))
            {
                var position = 0;
                while (parser.TryNext(chunk, ref position, out var part))
                {
                    if (part.Opens) held.Begin(5);
                    if (part.IsControl) continue;
                    held.Add(chunk, part);
                    bytes.AddRange(chunk[part.Start..part.End]);
                }
            }
            Assert.True(held.IsOpen && !held.IsTooLarge);
            Assert.Equal(bytes, held.Bytes.ToArray());
            Assert.Equal(message.Payload, held.Payload?.Span.ToArray());
            held.End();
            Assert.True(!held.IsOpen && held.Payload is null && held.Bytes.IsEmpty);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Runs.Of(100)));

    [Fact]
    public void MessageCopy_TooLarge_IsNotKeptAndTheNextIs()
    {
        var copy = new MessageCopy();
        var parser = new WebSocketFrameParser();
        var seen = new List<byte[]?>();
        foreach (var size in new[] { MessageCopy.MaxBytes + 1, MessageCopy.MaxBytes, 10 })
        {
            var payload = new byte[size];
            payload[^1] = 1;
            var stream = WebSocketFrame.ToBinaryMessage(payload);
            foreach (var chunk in stream.Chunk(1 << 20)) Take(ref parser, chunk, copy, seen);
        }
        Assert.Equal([MessageCopy.MaxBytes, 10], seen.Select(each => each!.Length));
        Assert.All(seen, each => Assert.Equal(1, each![^1]));
    }

    /// <summary>The payloads of the messages in a stream that can be read; all its bytes must be in exactly one part.</summary>
    private static List<byte[]?> Walk(byte[] stream, List<int> chunks, out WebSocketFrameParser parser)
    {
        parser = new WebSocketFrameParser();
        var copy = new MessageCopy();
        var seen = new List<byte[]?>();
        foreach (var chunk in Chunks(stream, chunks)) Take(ref parser, chunk, copy, seen);
        copy.Drop();
        return seen;
    }

    private static void Take(ref WebSocketFrameParser parser, byte[] chunk, MessageCopy copy, List<byte[]?> seen)
    {
        var position = 0;
        var end = 0;
        while (parser.TryNext(chunk, ref position, out var part))
        {
            Assert.Equal((end, position), (part.Start, part.End));
            Assert.InRange(part.PayloadStart, part.Start, part.End);
            Assert.True(part.End > part.Start);
            end = part.End;
            if (part.IsControl || copy.Add(chunk, part) is not { } payload) continue;
            seen.Add(payload.Span.ToArray());
            payload.Release();
        }
        Assert.Equal(chunk.Length, end);
    }

    private static IEnumerable<byte[]> Chunks(byte[] stream, List<int> sizes)
    {
        var at = 0;
        foreach (var size in sizes.TakeWhile(_ => at < stream.Length))
        {
            yield return stream[at..Math.Min(at + size, stream.Length)];
            at += size;
        }
        if (at < stream.Length) yield return stream[at..];
    }

    private sealed record Sample(byte[] Payload, byte[] Wire);

    private static Gen<Sample> Messages =>
        from opcode in Gen.Elements(WireFrames.Binary, WireFrames.Text)
        from size in Gen.OneOf(Gen.Choose(0, 300), Gen.Choose(65_000, 66_000))
        from seed in Gen.Choose(0, int.MaxValue - 1)
        from mask in Gen.OneOf(Gen.Constant(0), Gen.Choose(1, int.MaxValue - 100))
        from cuts in Gen.ListOf(Gen.Choose(0, 70_000))
        from hasControl in Gen.Elements(true, false)
        let payload = Bytes(seed, size)
        let wire = WireFrames.Message(opcode, payload, cuts.Take(5), (uint)mask, hasControl ? Bytes(seed, seed % 126) : null)
        select new Sample(payload, wire);

    private static Gen<List<Sample>> Streams => Gen.ListOf(Messages).Select(list => list.Take(6).ToList());

    private static byte[] Bytes(int seed, int size)
    {
        var bytes = new byte[size];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }
}
