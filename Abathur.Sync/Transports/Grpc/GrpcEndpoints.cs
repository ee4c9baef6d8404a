using Abathur.Sync.Diagnostics;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.V1;
using Grpc.AspNetCore.Server;
using Grpc.AspNetCore.Server.Model;
using Grpc.Health.V1;
using Grpc.HealthCheck;
using Grpc.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>gRPC on a web application: the service of the daemon, health, and reflection of both versions.</summary>
internal static class GrpcEndpoints
{
    /// <summary>Adds what the endpoints need.</summary>
    /// <param name="services">Services of the application.</param>
    /// <param name="api">Answers the requests.</param>
    /// <param name="health">Says whether the daemon serves.</param>
    public static void AddServices(IServiceCollection services, SyncApi api, HealthServiceImpl health)
    {
        services.AddGrpc(options =>
        {
            // The largest of all methods; GrpcRequestBody has that of each.
            options.MaxReceiveMessageSize = Publication.MaxMessageBytes;
            options.MaxSendMessageSize = null;
        });
        // Without a provider, nothing is decompressed: the library would do it without a limit. It adds its own where there are none.
        services.PostConfigure<GrpcServiceOptions>(options => options.CompressionProviders = []);
        services.AddSingleton(new GameSyncService(api, ProgramLog.Factory.CreateLogger("Abathur.Sync")));
        services.AddSingleton<IServiceMethodProvider<GameSyncService>, GameSyncMethods>();
        services.AddSingleton(health);
        // Not before they are asked for: it takes time to make descriptors.
        services.AddSingleton(_ => new ReflectionServiceImpl(Described()));
        services.AddSingleton(_ => new ReflectionV1ServiceImpl(Described()));
    }

    /// <summary>Adds the endpoints.</summary>
    public static void Map(WebApplication app, GrpcGate gate)
    {
        app.UseRouting();
        app.Use(gate.InvokeAsync);
        app.MapGrpcService<GameSyncService>();
        app.MapGrpcService<HealthServiceImpl>();
        app.MapGrpcService<ReflectionServiceImpl>();
        app.MapGrpcService<ReflectionV1ServiceImpl>();
    }

    private static Google.Protobuf.Reflection.ServiceDescriptor[] Described() =>
    [
        .. SyncReflection.Descriptor.Services,
        Health.Descriptor,
        global::Grpc.Reflection.V1.ServerReflection.Descriptor,
        global::Grpc.Reflection.V1Alpha.ServerReflection.Descriptor,
    ];
}
