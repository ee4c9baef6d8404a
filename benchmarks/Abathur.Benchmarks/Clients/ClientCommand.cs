using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Abathur.Client;

namespace Abathur.Benchmarks.Clients;

/// <summary>The C# client for <c>benchmarks/python/client.py</c>: reads a daemon's frames, or decodes those of a recording.</summary>
internal static class ClientCommand
{
    private static readonly JsonSerializerOptions Naming = new() { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };

    /// <summary><c>read HOST:PORT ENCODING COMPRESSION</c> or <c>decode FILE FRAMES</c>; writes one line of JSON.</summary>
    public static async Task<int> InvokeAsync(string[] args, TextWriter output, TextWriter error)
    {
        switch (args)
        {
            case ["read", var address, var encoding, var compression]:
                var options = new SubscribeOptions
                {
                    Policy = SubscribePolicy.Every,
                    Encoding = Enum.Parse<FrameEncoding>(encoding, ignoreCase: true),
                    Compression = Enum.Parse<FrameCompression>(compression.Replace("-", ""), ignoreCase: true),
                };
                await output.WriteLineAsync(JsonSerializer.Serialize(await ReadAsync(address, options), Naming));
                return 0;
            case ["decode", var file, var frames]:
                using (var decoding = new ClientDecoding(file, int.Parse(frames, CultureInfo.InvariantCulture)))
                    await output.WriteLineAsync(JsonSerializer.Serialize(decoding.Run(), Naming));
                return 0;
            default:
                await error.WriteLineAsync("usage: client read HOST:PORT ENCODING COMPRESSION | client decode FILE FRAMES");
                return 2;
        }
    }

    private static async Task<ReadResult> ReadAsync(string address, SubscribeOptions options)
    {
        await using var game = await AbathurGame.ConnectAsync(address);
        var (frames, sum, started, cpu) = (0, 0.0, 0L, TimeSpan.Zero);
        await foreach (var frame in game.Frames(options))
        {
            // What comes before the first frame is not the reader's work.
            if (frames++ == 0) (started, cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
            sum += Sum(frame.Units);
        }
        return new ReadResult(
            frames, Stopwatch.GetElapsedTime(started).TotalSeconds, (Environment.CpuUsage.TotalTime - cpu).TotalSeconds, sum);
    }

    /// <summary>Reads the columns that agents use most.</summary>
    public static double Sum(UnitColumns units)
    {
        var sum = 0.0;
        foreach (var value in units.X) sum += value;
        foreach (var value in units.Y) sum += value;
        foreach (var value in units.Health) sum += value;
        foreach (var value in units.Shield) sum += value;
        foreach (var value in units.UnitType) sum += value;
        foreach (var value in units.Alliance) sum += (int)value;
        foreach (var value in units.Tag) sum += value & 0xFF;
        return sum;
    }

    private sealed record ReadResult(int Frames, double Seconds, double CpuSeconds, double Sum);
}
