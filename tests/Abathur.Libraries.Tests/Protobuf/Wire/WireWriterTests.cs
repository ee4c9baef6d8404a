using System.Buffers;
using Abathur.Protobuf.Wire;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;

namespace Abathur.Protobuf.Tests.Wire;

public class WireWriterTests
{
    private const int MaxDepth = 4;

    [Fact]
    public void AnyFields_InAnyMessages_AreWhatGoogleWrites() =>
        Prop.ForAll(Arb.From(Gen.Choose(0, int.MaxValue)), seed =>
        {
            var writer = new WireWriter(capacity: 16);
            writer.Write("left over"u8);
            writer.Clear();
            var expected = Write(writer, new Random(seed), 0);
            return writer.WrittenSpan.SequenceEqual(expected) && writer.Length == expected.Length;
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData(0)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(16_383)]
    [InlineData(16_384)]
    [InlineData(2_097_152)]
    public void End_AnyExpectedLength_GivesTheSameBytes(int bytes)
    {
        var body = new byte[bytes];
        new Random(bytes).NextBytes(body);
        using var stream = new MemoryStream();
        using (var google = new CodedOutputStream(stream))
        {
            google.WriteTag(3, WireFormat.WireType.LengthDelimited);
            google.WriteBytes(ByteString.CopyFrom(body));
        }
        for (var expected = 1; expected <= 5; expected++)
        {
            var writer = new WireWriter();
            var message = writer.Begin(3, expected);
            body.CopyTo(writer.GetSpan(body.Length));
            writer.Advance(body.Length);
            writer.End(message);
            Assert.True(writer.WrittenMemory.Span.SequenceEqual(stream.ToArray()));
        }
    }

    [Fact]
    public void Advance_BeyondTheBuffer_Throws()
    {
        var writer = new WireWriter(capacity: 16);
        var room = writer.GetMemory().Length;
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(room + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => writer.Advance(-1));
        Assert.Equal(0, writer.Length);
        ((IBufferWriter<byte>)writer).Write(new byte[100]);
        Assert.Equal(100, writer.Length);
    }

    /// <summary>Writes random fields, and returns what Google's writer makes of the same.</summary>
    private static byte[] Write(WireWriter writer, Random random, int depth)
    {
        using var stream = new MemoryStream();
        using (var google = new CodedOutputStream(stream))
        {
            for (var i = random.Next(6); i > 0; i--) WriteField(writer, google, random, depth);
        }
        return stream.ToArray();
    }

    private static void WriteField(WireWriter writer, CodedOutputStream google, Random random, int depth)
    {
        var number = random.Next(3) == 0 ? random.Next(1, 1 << 29) : random.Next(1, 20);
        switch (random.Next(depth < MaxDepth ? 7 : 6))
        {
            case 0:
                var flag = random.Next(2) == 1;
                writer.WriteBool(number, flag);
                google.WriteTag(number, WireFormat.WireType.Varint);
                google.WriteBool(flag);
                break;
            case 1:
                var signed = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
                writer.WriteInt64(number, signed);
                google.WriteTag(number, WireFormat.WireType.Varint);
                google.WriteInt64(signed);
                break;
            case 2:
                var unsigned = (ulong)random.NextInt64() << 1;
                writer.WriteUInt64(number, unsigned);
                google.WriteTag(number, WireFormat.WireType.Varint);
                google.WriteUInt64(unsigned);
                break;
            case 3:
                var real = random.NextSingle() * 1e9f;
                writer.WriteFloat(number, real);
                google.WriteTag(number, WireFormat.WireType.Fixed32);
                google.WriteFloat(real);
                break;
            case 4:
                var bytes = new byte[random.Next(300)];
                random.NextBytes(bytes);
                writer.WriteBytes(number, bytes);
                google.WriteTag(number, WireFormat.WireType.LengthDelimited);
                google.WriteBytes(ByteString.CopyFrom(bytes));
                break;
            case 5:
                var text = string.Concat(Enumerable.Repeat("aä\U0001F600", random.Next(60)));
                writer.WriteString(number, text);
                google.WriteTag(number, WireFormat.WireType.LengthDelimited);
                google.WriteString(text);
                break;
            default:
                var message = writer.Begin(number, random.Next(1, 6));
                var inner = Write(writer, random, depth + 1);
                writer.End(message);
                google.WriteTag(number, WireFormat.WireType.LengthDelimited);
                google.WriteBytes(ByteString.CopyFrom(inner));
                break;
        }
    }
}
