using Abathur.Sync.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Abathur.Sync.Hosting;

/// <summary>The common setup of all servers of this program: Kestrel, its logs, its memory, and its shutdown.</summary>
internal static class KestrelHost
{
    /// <summary>Maximum bytes that are read ahead of the protocol of a connection.</summary>
    private const int MaxReadAheadBytes = 64 * 1024;

    /// <summary>A builder to which the listeners are added.</summary>
    /// <param name="maxConnections">Connections at once, all listeners together. On Linux fewer if the process may not open that many
    /// files: <see cref="OpenFiles"/>.</param>
    /// <param name="clock">Clock of the server.</param>
    public static WebApplicationBuilder CreateBuilder(int maxConnections, TimeProvider clock)
    {
        var connections = new ConnectionLimit(OpenFiles.Bound(maxConnections));
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton(ProgramLog.Factory);
        builder.WebHost.UseKestrelCore();
        builder.Services.RemoveAll<IConnectionListenerFactory>();
        builder.Services.AddSingleton<IConnectionListenerFactory>(
            services => new LimitedTransport(ActivatorUtilities.CreateInstance<SocketTransportFactory>(services), connections));
        builder.Services.AddSingleton(connections);
        builder.Services.AddHostedService(_ => new MemoryTrimmer(connections, clock));
        builder.Services.AddSingleton<IMemoryPoolFactory<byte>>(new ServerMemoryPool.Factory());
        builder.Services.Configure<SocketTransportOptions>(sockets =>
        {
            // With the default of 64 KB, almost every frame waits for the socket, and each such wait allocates.
            sockets.MaxWriteBufferSize = ServerMemoryPool.MaxBlockBytes;
            // The default of 1 MiB may be buffered for each of a thousand connections.
            sockets.MaxReadBufferSize = MaxReadAheadBytes;
        });
        // Clients have been given all frames before the server is told to stop; what may be missing is the end of their calls, for which a
        // busy machine needs more than an instant.
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = TimeSpan.FromSeconds(3));
        return builder;
    }
}
