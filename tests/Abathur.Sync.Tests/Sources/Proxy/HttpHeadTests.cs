using System.Net;
using System.Net.Sockets;
using System.Text;
using Abathur.Sync.Sources.Proxy;

namespace Abathur.Sync.Tests.Sources.Proxy;

public class HttpHeadTests
{
    [Fact]
    public async Task Read_HeadInPieces_IsReadAndWhatFollowsIsKept()
    {
        using var pair = new SocketPair();
        var reading = Task.Run(() => (HttpHead.Read(pair.Reader, TimeSpan.FromMinutes(1), TimeProvider.System, out var rest), rest));
        foreach (var piece in new[] { "GET /sc2api HTTP/1.1\r\nHo", "st: a\r\nConnection: keep-alive, Upgrade\r\nhost: b\r", "\n\r\nmore" })
            pair.Writer.Send(Encoding.ASCII.GetBytes(piece));
        var (head, rest) = await reading;
        Assert.Equal("more"u8.ToArray(), rest);
        Assert.Equal("GET /sc2api HTTP/1.1", head.FirstLine);
        Assert.Equal(["a", "b"], head.Values("HOST"));
        Assert.True(head.Has("connection", "upgrade"));
        Assert.False(head.Has("connection", "up"));
        Assert.Equal(
            "GET /sc2api HTTP/1.1\r\nHost: c\r\nConnection: keep-alive, Upgrade\r\n\r\n",
            Encoding.ASCII.GetString(head.With("Host", "c").ToBytes()));
        Assert.Empty(head.Without("Host").Values("Host"));
    }

    [Theory]
    [InlineData("HTTP/1.1 101 Switching Protocols", 101)]
    [InlineData("HTTP/1.0 404 Not Found", 404)]
    [InlineData("HTTP/1.1", 0)]
    [InlineData("SSH-2.0-OpenSSH_9.2", 0)]
    [InlineData("", 0)]
    public void StatusCode_FirstLine_IsReadOrNone(string line, int status) => Assert.Equal(status, new HttpHead(line, []).StatusCode);

    [Fact]
    public void Read_TooLongCutOffOrNothing_Throws()
    {
        Assert.Throws<InvalidDataException>(() => Read(new byte[HttpHead.MaxBytes]));
        Assert.Throws<InvalidDataException>(() => Read("GET / HTTP/1.1\r\n"u8.ToArray()));
        Assert.Throws<EndOfStreamException>(() => Read([]));
    }

    [Fact]
    public void Read_Silence_TimesOut()
    {
        using var pair = new SocketPair();
        Assert.Throws<TimeoutException>(() => HttpHead.Read(pair.Reader, TimeSpan.FromMilliseconds(1), TimeProvider.System, out _));
    }

    private static void Read(byte[] sent)
    {
        using var pair = new SocketPair();
        pair.Writer.Send(sent);
        pair.Writer.Shutdown(SocketShutdown.Send);
        HttpHead.Read(pair.Reader, TimeSpan.FromMinutes(1), TimeProvider.System, out _);
    }

    private sealed class SocketPair : IDisposable
    {
        public SocketPair()
        {
            using var listener = new TcpListener(IPAddress.Loopback, 0);
            listener.Start();
            Writer.Connect((IPEndPoint)listener.LocalEndpoint);
            Reader = listener.AcceptSocket();
        }

        public Socket Writer { get; } = new(SocketType.Stream, ProtocolType.Tcp);

        public Socket Reader { get; }

        public void Dispose()
        {
            Writer.Dispose();
            Reader.Dispose();
        }
    }
}
