using System.Buffers;
using System.IO.Pipelines;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports.Socket;

namespace Abathur.Sync.Tests.Transports;

/// <summary>Which messages are refused, and the input after one: the daemon sends its last message, and must still detect that the peer
/// closes.</summary>
public class SocketInputTests
{
    [Theory]
    [InlineData(new byte[] { 0xFF, 0xFE, (byte)'\n' })]
    [InlineData(new byte[] { (byte)'{', (byte)'{', (byte)'{', (byte)'{', (byte)'{', (byte)'{' })]
    public async Task Line_ThatIsRefused_LeavesTheInputReadable(byte[] bad)
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(bad);
        await Assert.ThrowsAsync<RefusedException>(() => JsonLine.ReadAsync(pipe.Reader, CancellationToken.None, maxBytes: 5).AsTask());
        await AssertReadableAsync(pipe);
    }

    [Theory]
    [InlineData(new byte[] { 2, 0, 0, 0, 0xFF, 0xFF })]
    [InlineData(new byte[] { 0xFF, 0xFF, 0xFF, 0xFF })]
    public async Task Message_ThatIsRefused_LeavesTheInputReadable(byte[] bad)
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(bad);
        var wire = new LengthPrefixedWire(pipe.Reader, null!);
        await Assert.ThrowsAsync<RefusedException>(() => wire.ReadAsync(CancellationToken.None).AsTask());
        await AssertReadableAsync(pipe);
    }

    [Theory]
    [InlineData(LengthPrefixedWire.MaxBytes, "the connection ended inside a message")]
    [InlineData(LengthPrefixedWire.MaxBytes + 1, "a message of 1048577 bytes is over the limit of 1048576")]
    public async Task Message_LongerThanTheLimit_IsRefusedAtItsLength(int length, string why)
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(BitConverter.GetBytes(length));
        await pipe.Writer.CompleteAsync();
        var wire = new LengthPrefixedWire(pipe.Reader, null!);
        var refused = await Assert.ThrowsAsync<RefusedException>(() => wire.ReadAsync(CancellationToken.None).AsTask());
        Assert.Equal((RequestStatus.InvalidArgument, why), (refused.Status, refused.Message));
    }

    private static async Task AssertReadableAsync(Pipe pipe)
    {
        await pipe.Writer.WriteAsync("more"u8.ToArray());
        var result = await pipe.Reader.ReadAsync();
        Assert.Equal("more"u8.ToArray(), result.Buffer.ToArray());
    }
}
