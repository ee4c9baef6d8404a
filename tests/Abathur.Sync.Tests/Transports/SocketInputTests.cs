using System.Buffers;
using System.IO.Pipelines;
using Abathur.Grpc;
using Abathur.Sync.Transports.Socket;

namespace Abathur.Sync.Tests.Transports;

/// <summary>What is read behind input that was refused: the daemon says goodbye, and must still see the peer close.</summary>
public class SocketInputTests
{
    [Theory]
    [InlineData(new byte[] { 0xFF, 0xFE, (byte)'\n' })]
    [InlineData(new byte[] { (byte)'{', (byte)'{', (byte)'{', (byte)'{', (byte)'{', (byte)'{' })]
    public async Task Line_ThatIsRefused_LeavesTheInputReadable(byte[] bad)
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(bad);
        await Assert.ThrowsAsync<GrpcException>(() => JsonLine.ReadAsync(pipe.Reader, CancellationToken.None, maxBytes: 5).AsTask());
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
        await Assert.ThrowsAsync<GrpcException>(() => wire.ReadAsync(CancellationToken.None).AsTask());
        await AssertReadableAsync(pipe);
    }

    private static async Task AssertReadableAsync(Pipe pipe)
    {
        await pipe.Writer.WriteAsync("more"u8.ToArray());
        var result = await pipe.Reader.ReadAsync();
        Assert.Equal("more"u8.ToArray(), result.Buffer.ToArray());
    }
}
