using System.Net;
using System.Net.Sockets;
using Abathur.Mcap;
using Abathur.Recordings;
using Abathur.Recordings.Tests;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Tests.Cli;

/// <summary>Text of others (recordings, servers) never controls the terminal that commands write to.</summary>
public sealed class ForeignTextTests
{
    private const string Hostile = "[red]x[/] [ \u001b]0;owned\u0007\u009b2J\u007f\u202e\nabathur-sync: all is well";

    [Theory]
    [InlineData("info", "FILE")]
    [InlineData("info", "FILE", "--json")]
    [InlineData("cat", "FILE")]
    [InlineData("cat", "FILE", "--topic", "/game_info", "--fields", "*")]
    [InlineData("cat", "FILE", "--topic", "/game_info", "--fields", "*", "--names")]
    [InlineData("cat", "FILE", "--topic", "none")]
    [InlineData("recover", "FILE", "-o", "OUT")]
    [InlineData("recover", "FILE", "-o", "OUT", "--json")]
    [InlineData("export", "FILE", "-o", "OUT")]
    public async Task Command_OnAHostileRecording_WritesNoControlCharacters(params string[] line)
    {
        using var folder = new TemporaryFolder();
        var file = folder.PathTo("a.mcap");
        Write(file);
        var (exitCode, output, error) = await CliProcess.RunAsync(
            [.. line.Select(each => each == "FILE" ? file : each == "OUT" ? folder.PathTo("out.mcap") : each)]);
        Assert.True(exitCode is 0 or 2, error);
        AssertPrintable(output + error);
        if (line is not ["export", ..]) Assert.Contains("owned", output + error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, "--once")]
    [InlineData(true, "--json")]
    [InlineData(false, "--once")]
    public async Task Status_OfAHostileServer_WritesNoControlCharacters(bool isOk, string option)
    {
        var status = new Status { Match = new Match { MapName = Hostile }, Process = new ProcessStatus { Version = Hostile } };
        status.Process.Uptime = new();
        status.Subscribers.Add(new SubscriberStatus { Name = Hostile, Transport = Hostile });
        using var server = new TcpListener(IPAddress.Loopback, 0);
        server.Start();
        var answering = AnswerAsync(server, isOk ? "200 OK" : "500 x", isOk ? JsonFormatter.Default.Format(status) : Hostile);
        var (exitCode, output, error) = await CliProcess.RunAsync("status", $"{server.LocalEndpoint}", option);
        await answering;
        Assert.Equal(isOk ? 0 : 1, exitCode);
        AssertPrintable(output + error);
        Assert.Contains("owned", output + error, StringComparison.Ordinal);
    }

    private static async Task AnswerAsync(TcpListener server, string status, string body)
    {
        using var client = await server.AcceptTcpClientAsync();
        await client.GetStream().ReadAtLeastAsync(new byte[4096], 1);
        var bytes = System.Text.Encoding.UTF8.GetBytes(body);
        await client.GetStream().WriteAsync(
            System.Text.Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\nContent-Length: {bytes.Length}\r\nConnection: close\r\n\r\n"));
        await client.GetStream().WriteAsync(bytes);
    }

    private static void AssertPrintable(string text)
    {
        Assert.DoesNotContain(text.ReplaceLineEndings("\n"), each => each != '\n' && PrintableText.IsEscaped(each));
        Assert.DoesNotContain(text.Split('\n'), line => line.TrimEnd('\r').EndsWith(' '));
        Assert.DoesNotContain(text.Split('\n'), line => line.StartsWith("abathur-sync: all", StringComparison.Ordinal));
    }

    private static void Write(string file)
    {
        using var writer = McapWriter.Create(file);
        var match = new RecordingMatch
        {
            MatchId = Hostile,
            MapName = Hostile,
            GameVersion = Hostile,
            Source = Hostile,
            More = new Dictionary<string, string> { ["[note] " + Hostile] = Hostile },
        };
        using var sample = new MemoryStream();
        using (var recording = new RecordingWriter(sample, match, leaveOpen: true))
        {
            recording.WriteGameInfo(0, new ResponseGameInfo { MapName = Hostile }.ToByteArray());
            recording.WriteObservation(0, 0, RecordingSample.Observation(0));
        }
        sample.Position = 0;
        using var reader = new McapReader(sample);
        foreach (var schema in reader.Schemas.Values) writer.AddSchema(schema);
        foreach (var channel in reader.Channels.Values) writer.AddChannel(channel);
        var foreign = writer.AddChannel(writer.AddSchema(Hostile, Hostile, default), Hostile, Hostile);
        foreach (var metadata in reader.Metadata) writer.WriteMetadata(reader.ReadMetadata(metadata));
        using var messages = reader.ReadMessages();
        while (messages.MoveNext())
        {
            var each = messages.Current;
            writer.WriteMessage(each.ChannelId, each.Sequence, each.LogTime, each.PublishTime, each.Data.Span);
        }
        writer.WriteMessage(foreign, 0, 0, 0, "x"u8);
    }
}
