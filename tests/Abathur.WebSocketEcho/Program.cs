// Sends back what it gets, through the daemon's own WebSocket layer, for conformance suites: abathur-websocket-echo [--port N]
using System.Net;
using System.Net.WebSockets;
using Abathur.Sync.Transports.WebSocket;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

// The suites send messages of up to 16 MiB.
const int MaxMessageBytes = 32 * 1024 * 1024;

var at = Array.IndexOf(args, "--port");
var port = at >= 0 && at + 1 < args.Length ? int.Parse(args[at + 1]) : 0;
var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
ListenOptions? listener = null;
builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port, tcp =>
{
    listener = tcp;
    tcp.Protocols = HttpProtocols.Http1;
}));
await using var app = builder.Build();
app.UseWebSockets();
app.Run(EchoAsync);
await app.StartAsync();
Console.WriteLine($"ready http={listener!.IPEndPoint}");
// The parent process ends it by closing its input.
while (await Console.In.ReadLineAsync() is not null)
{
}
await app.StopAsync(new CancellationTokenSource(TimeSpan.FromSeconds(1)).Token);

static async Task EchoAsync(HttpContext http)
{
    if (!http.WebSockets.IsWebSocketRequest)
    {
        http.Response.StatusCode = StatusCodes.Status426UpgradeRequired;
        return;
    }
    using var socket = await WebSocketHandshake.AcceptAsync(http, TimeSpan.FromSeconds(15), TimeSpan.FromSeconds(60));
    using var connection = new WebSocketConnection(socket, MaxMessageBytes, TimeSpan.FromSeconds(2), TimeProvider.System, http.Abort);
    while (true)
    {
        var input = await connection.ReceiveAsync(CancellationToken.None);
        if (input.Kind == WebSocketInputKind.Message && await connection.SendAsync(input.Bytes, input.Type)) continue;
        var status = input.Kind switch
        {
            WebSocketInputKind.TooLong => WebSocketCloseStatus.MessageTooBig,
            WebSocketInputKind.NotUtf8 => WebSocketCloseStatus.InvalidPayloadData,
            _ => WebSocketCloseStatus.NormalClosure,
        };
        await connection.CloseAsync(status, "");
        return;
    }
}
