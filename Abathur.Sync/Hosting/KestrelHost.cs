using Abathur.Sync.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Hosting;

/// <summary>What every server of this program has in common: Kestrel alone, its logs, its memory, and how it stops.</summary>
internal static class KestrelHost
{
    /// <summary>A builder to which the listeners are added.</summary>
    public static WebApplicationBuilder CreateBuilder(TimeProvider clock)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.AddProvider(new LogProvider());
        builder.Logging.SetMinimumLevel(StandardError.MinimumLevel);
        // A failed start is told once, by whoever starts the server.
        builder.Logging.AddFilter("Microsoft.Extensions.Hosting", LogLevel.None);
        // The ready line says where it listens.
        builder.Logging.AddFilter("Microsoft.Hosting.Lifetime", LogLevel.Warning);
        builder.WebHost.UseKestrelCore();
        builder.Services.AddSingleton<IMemoryPoolFactory<byte>>(_ => new BlockMemoryPool.Factory(clock));
        // With the default of 64 KB, almost every frame waits for the socket, and each such wait allocates.
        builder.Services.Configure<SocketTransportOptions>(sockets => sockets.MaxWriteBufferSize = BlockMemoryPool.BlockBytes);
        // What is to be drained has been drained when the server is told to stop.
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = TimeSpan.FromSeconds(1));
        return builder;
    }
}
