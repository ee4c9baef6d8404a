using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using Abathur.Sync.Transports.WebSocket;

namespace Abathur.Sync.Tests.Transports.WebSocket;

public class WebSocketConnectionTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task Receive_EmptyFragmentsWithoutEnd_CanBeGivenUp()
    {
        using var socket = System.Net.WebSockets.WebSocket.CreateFromStream(
            new EmptyFragments(), new WebSocketCreationOptions { IsServer = true });
        using var connection = new WebSocketConnection(socket, 1024, Limit, TimeProvider.System, () => { });
        using var cancellation = new CancellationTokenSource();

        var receiving = Task.Run(() => connection.ReceiveAsync(cancellation.Token).AsTask());
        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiving.WaitAsync(Limit));
        socket.Abort();
    }

    [Fact]
    public async Task Receive_FragmentThatComesAfterTheDispose_IsLostWithoutAnException()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var peer = new TcpClient();
        await peer.ConnectAsync((IPEndPoint)listener.LocalEndpoint);
        using var served = await listener.AcceptTcpClientAsync();
        using var socket = System.Net.WebSockets.WebSocket.CreateFromStream(
            served.GetStream(), new WebSocketCreationOptions { IsServer = true });
        var connection = new WebSocketConnection(socket, 1024, Limit, TimeProvider.System, () => { });
        var receiving = connection.ReceiveAsync(CancellationToken.None).AsTask();

        connection.Dispose();
        // "abc", the beginning of a text whose end never comes.
        await peer.GetStream().WriteAsync(new byte[] { 0x01, 0x83, 0, 0, 0, 0, (byte)'a', (byte)'b', (byte)'c' });
        peer.Close();

        Assert.Equal(WebSocketInputKind.Lost, (await receiving.WaitAsync(Limit)).Kind);
    }

    /// <summary>A peer that has always sent one more empty fragment: its first frame begins a text, the others go on with it.</summary>
    private sealed class EmptyFragments : Stream
    {
        private static readonly byte[] First = [0x01, 0x80, 0, 0, 0, 0];
        private static readonly byte[] Next = [0x00, 0x80, 0, 0, 0, 0];
        private long _position;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            for (var at = 0; at < buffer.Length; at++, _position++)
                buffer.Span[at] = (_position < First.Length ? First : Next)[_position % First.Length];
            return new(buffer.Length);
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count)
        {
        }

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();
    }
}
