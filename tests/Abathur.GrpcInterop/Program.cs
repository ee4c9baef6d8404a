// Hosts the test service of the gRPC interop suite: abathur-grpc-interop [--port N] [--uds PATH]
using System.Net;
using Abathur.Grpc;
using Abathur.GrpcInterop;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

string? Option(string name) => Array.IndexOf(args, name) is var at and >= 0 && at + 1 < args.Length ? args[at + 1] : null;

var failures = 0;
var openCalls = 0;

var health = new GrpcHealth();
health.Set("grpc.testing.TestService", GrpcServingStatus.Serving);
GrpcService[] services = [TestService.Create(), health.Service];
var options = new GrpcServerOptions
{
    MaxReceiveMessageBytes = 8 * 1024 * 1024,
    OnHandlerFailure = (method, e) =>
    {
        Interlocked.Increment(ref failures);
        Console.Error.WriteLine($"{method} failed: {e}");
    },
};
var server = new GrpcServer(options, [.. services, .. GrpcReflection.For(services)]);

var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
ListenOptions? listener = null;
builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
{
    GrpcKestrel.SetLimits(kestrel.Limits);
    kestrel.Listen(IPAddress.Loopback, int.Parse(Option("--port") ?? "0"), tcp => (listener = tcp).UseGrpc());
    if (Option("--uds") is { } path) kestrel.ListenUnixSocket(path, unix => unix.UseGrpc());
});
await using var app = builder.Build();
app.Run(async http =>
{
    Interlocked.Increment(ref openCalls);
    await server.HandleAsync(http);
    Interlocked.Decrement(ref openCalls);
});
await app.StartAsync();
Console.WriteLine($"ready grpc={listener!.IPEndPoint}");

// The tests control the host by lines, and end it by closing its input.
while (await Console.In.ReadLineAsync() is { } line)
{
    if (line.Split(' ') is ["health", var service, var status]) health.Set(service, Enum.Parse<GrpcServingStatus>(status));
    Console.WriteLine($"calls={Volatile.Read(ref openCalls)} failures={Volatile.Read(ref failures)}");
}
await app.StopAsync(new CancellationTokenSource(TimeSpan.FromSeconds(1)).Token);
