using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Hosting;

/// <summary>
/// Closes each connection over the limit before the next one is accepted. Kestrel's own limits apply to one listener, and are checked after
/// the operating system has assigned a descriptor to each connection of a burst.
/// </summary>
/// <param name="transport">Accepts the connections.</param>
/// <param name="limit">The limit, shared by all listeners.</param>
internal sealed class LimitedTransport(IConnectionListenerFactory transport, ConnectionLimit limit) : IConnectionListenerFactory
{
    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new Listener(await transport.BindAsync(endpoint, cancellationToken), limit);

    private sealed class Listener(IConnectionListener listener, ConnectionLimit limit) : IConnectionListener
    {
        public EndPoint EndPoint => listener.EndPoint;

        public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        {
            while (await listener.AcceptAsync(cancellationToken) is { } connection)
            {
                if (limit.TryEnter()) return new Connection(connection, limit);
                connection.Abort();
                await connection.DisposeAsync();
            }
            return null;
        }

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => listener.UnbindAsync(cancellationToken);

        public ValueTask DisposeAsync() => listener.DisposeAsync();
    }

    /// <summary>A connection that is counted until its descriptor is free.</summary>
    private sealed class Connection(ConnectionContext inner, ConnectionLimit limit) : ConnectionContext
    {
        private int _isDisposed;

        public override string ConnectionId
        {
            get => inner.ConnectionId;
            set => inner.ConnectionId = value;
        }

        public override IFeatureCollection Features => inner.Features;

        public override IDictionary<object, object?> Items
        {
            get => inner.Items;
            set => inner.Items = value;
        }

        public override IDuplexPipe Transport
        {
            get => inner.Transport;
            set => inner.Transport = value;
        }

        public override CancellationToken ConnectionClosed
        {
            get => inner.ConnectionClosed;
            set => inner.ConnectionClosed = value;
        }

        public override EndPoint? LocalEndPoint
        {
            get => inner.LocalEndPoint;
            set => inner.LocalEndPoint = value;
        }

        /// <summary>An IPv4 address as such, also on a socket for both families.</summary>
        public override EndPoint? RemoteEndPoint
        {
            get => inner.RemoteEndPoint is IPEndPoint { Address.IsIPv4MappedToIPv6: true } mapped
                ? new IPEndPoint(mapped.Address.MapToIPv4(), mapped.Port)
                : inner.RemoteEndPoint;
            set => inner.RemoteEndPoint = value;
        }

        public override void Abort() => inner.Abort();

        public override void Abort(ConnectionAbortedException abortReason) => inner.Abort(abortReason);

        public override async ValueTask DisposeAsync()
        {
            var isFirst = Interlocked.Exchange(ref _isDisposed, 1) == 0;
            try
            {
                await inner.DisposeAsync();
                await base.DisposeAsync();
            }
            finally
            {
                if (isFirst) limit.Leave();
            }
        }
    }
}
