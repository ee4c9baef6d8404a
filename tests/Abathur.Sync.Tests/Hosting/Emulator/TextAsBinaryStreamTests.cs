using Abathur.Sync.Hosting.Emulator;
using Abathur.Sync.Tests.Sources.Proxy;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Hosting.Emulator;

public class TextAsBinaryStreamTests
{
    [Fact]
    public void Read_MessagesInAnyChunks_DifferInTheOpcodeOfTextOnly() =>
        Prop.ForAll(Arb.From(Gen.ListOf(Gen.Choose(0, 300))), Arb.From(Gen.ListOf(Gen.Choose(1, 40))), (sizes, chunks) =>
        {
            var sent = new List<byte>();
            var expected = new List<byte>();
            for (var i = 0; i < sizes.Count; i++)
            {
                // Payload bytes that look like the header of a text frame.
                var payload = Enumerable.Repeat((byte)0x81, sizes[i]).ToArray();
                byte[] Write(int opcode) =>
                    WireFrames.Message(opcode, payload, [7, 100], (uint)(0x0102_0304 * (i % 3)), i % 2 == 0 ? [0x81] : null);
                sent.AddRange(Write(i % 4 == 0 ? WireFrames.Binary : WireFrames.Text));
                expected.AddRange(Write(WireFrames.Binary));
            }
            Assert.Equal(expected, Read(sent, [.. chunks]));
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData(WireFrames.Text, 4, WireFrames.Binary)]
    [InlineData(WireFrames.Close, 0, WireFrames.Close)]
    [InlineData(WireFrames.Ping, 0, WireFrames.Ping)]
    [InlineData(WireFrames.Continuation, 0, WireFrames.Continuation)]
    [InlineData(WireFrames.Reserved, 0, WireFrames.Reserved)]
    public void Read_Frame_KeepsFinalAndReservedBits(int opcode, int reservedBits, int expected) =>
        Assert.Equal(
            WireFrames.Frame(expected, [1], reservedBits: reservedBits),
            Read(WireFrames.Frame(opcode, [1], reservedBits: reservedBits), [1]));

    private static List<byte> Read(IReadOnlyCollection<byte> sent, int[] chunks)
    {
        using var stream = new TextAsBinaryStream(new MemoryStream([.. sent]));
        var read = new List<byte>();
        var buffer = new byte[64];
        for (var i = 0; ; i++)
        {
            var size = chunks.Length == 0 ? buffer.Length : chunks[i % chunks.Length];
            var count = stream.Read(buffer, 0, size);
            if (count == 0) return read;
            read.AddRange(buffer[..count]);
        }
    }
}
