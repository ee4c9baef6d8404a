using System.CommandLine;

namespace Abathur.Benchmarks.Baseline;

/// <summary>What the baseline server sends, and how.</summary>
internal sealed record BaselineOptions
{
    /// <summary>Recording to send, over and over.</summary>
    public required string Recording { get; init; }

    /// <summary>TCP port on 127.0.0.1; 0: any free one.</summary>
    public int Port { get; init; }

    /// <summary>
    /// True: as fast as every client takes the frames, none omitted. False: at the recording's tick rate, and a client
    /// that lags skips to the newest frame.
    /// </summary>
    public bool Unlimited { get; init; }

    /// <summary>Seconds of game time to skip at the start.</summary>
    public double StartOffset { get; init; }

    /// <summary>Seconds of game time to send; null: to the end.</summary>
    public double? Duration { get; init; }

    /// <summary>Over gRPC, by <see cref="GrpcBaselineServer"/>; where <see cref="Unlimited"/>, frames come from memory.</summary>
    public bool Grpc { get; init; }

    /// <summary>Over gRPC as messages, which the package writes for each client; false: as bytes that are made once.</summary>
    public bool Typed { get; init; }

    /// <summary>The command line of the same: <c>baseline FILE --port 0 --unlimited --grpc --typed
    /// --start-offset S --duration S</c>.</summary>
    public static int Invoke(string[] args)
    {
        var file = new Argument<string>("FILE") { Description = "Recording (MCAP) to send." };
        var port = new Option<int>("--port") { Description = "TCP port; 0: any free one." };
        var unlimited = new Option<bool>("--unlimited") { Description = "As fast as every client takes the frames." };
        var grpc = new Option<bool>("--grpc") { Description = "Over gRPC, by grpc-dotnet's server alone." };
        var typed = new Option<bool>("--typed") { Description = "With --grpc: as messages, which are written for each client." };
        var offset = new Option<double>("--start-offset") { Description = "Seconds of game time to skip at the start." };
        var duration = new Option<double?>("--duration") { Description = "Seconds of game time to send." };
        var command = new RootCommand(
            "Sends recorded frames over plain TCP, or gRPC: what nothing can be faster than.")
        {
            file, port, unlimited, grpc, typed, offset, duration,
        };
        command.SetAction((parsed, cancellationToken) =>
        {
            var options = new BaselineOptions
            {
                Recording = parsed.GetRequiredValue(file),
                Port = parsed.GetValue(port),
                Unlimited = parsed.GetValue(unlimited),
                Grpc = parsed.GetValue(grpc),
                Typed = parsed.GetValue(typed),
                StartOffset = parsed.GetValue(offset),
                Duration = parsed.GetValue(duration),
            };
            return options.Grpc
                ? GrpcBaselineServer.RunAsync(options, cancellationToken)
                : BaselineServer.RunAsync(options, cancellationToken);
        });
        return command.Parse(args).Invoke();
    }
}
