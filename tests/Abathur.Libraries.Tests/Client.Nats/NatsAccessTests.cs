using System.Text.RegularExpressions;
using Abathur.Client.Tests;
using static Abathur.Client.Nats.Tests.Relayed;

namespace Abathur.Client.Nats.Tests;

/// <summary>What is not there, and users with permissions.</summary>
public sealed partial class NatsAccessTests
{
    [NatsFact]
    public async Task WhatIsNotThere_IsAnErrorAtOnce()
    {
        using var server = NatsServer.Run();
        var missing = await Assert.ThrowsAsync<ConnectException>(() => NatsGame.ConnectAsync(server.Match()));
        var start = $"cannot connect to {server.Match()}: there is no match 'm'. `abathur relay";
        Assert.StartsWith(start, missing.Message, StringComparison.Ordinal);
        server.Kill();
        var away = await Assert.ThrowsAsync<ConnectException>(() => NatsGame.ConnectAsync(server.Match()));
        Assert.EndsWith(". Is the server running?", away.Message, StringComparison.Ordinal);
        server.Restart();
        foreach (var wrong in new[] { "nats://127.0.0.1:4222", "socket://127.0.0.1:1/m", "nats://127.0.0.1:4222/a b" })
            await Assert.ThrowsAsync<ArgumentException>(() => NatsGame.ConnectAsync(wrong));
        await Assert.ThrowsAsync<ArgumentException>(() => NatsGame.ConnectAsync(server.Match(), credentials: "missing.creds"));
    }

    [NatsFact]
    public async Task UsersOfTheGuide_ReadAndActAsTheyMay()
    {
        var guide = await File.ReadAllTextAsync(Path.Combine(SharedData.RepositoryFolder, "docs", "nats.md"));
        var configuration = Configuration().Match(guide).Value;
        var users = string.Join('\n', configuration.Split('\n').SkipWhile(line => !line.StartsWith("RELAY", StringComparison.Ordinal)))
            .Replace("ladder-1", "m", StringComparison.Ordinal);
        using var server = NatsServer.Run(users);
        using var daemon = await DaemonProcess.StartAsync(
            "play", CommittedRecording.Path, "--start-paused", "--relay", server.Match("relay:relay-password@"));
        await using var watcher = await NatsGame.ConnectAsync(server.Match("watcher-1:watcher-password@"), Patient);
        await using var actor = await NatsGame.ConnectAsync(server.Match("actor-1:actor-password@"), Patient);
        await actor.Playback.StepAsync();
        await foreach (var frame in watcher.Frames(Every with { MaxFrames = 1 })) Assert.Equal(FirstGameLoop, frame.GameLoop);
        Assert.NotEmpty((await watcher.MatchAsync()).MapName);
        var denied = await Assert.ThrowsAsync<RequestException>(() => watcher.Playback.ResumeAsync());
        Assert.Equal(RequestErrorCode.PermissionDenied, denied.Code);
        await actor.Playback.SetRateAsync(100);
        await actor.Playback.ResumeAsync();
        var last = 0u;
        await foreach (var frame in actor.Frames(Every)) last = frame.GameLoop;
        Assert.Equal(LastGameLoop, last);
        var refused = await Assert.ThrowsAsync<RequestException>(
            () => NatsGame.ConnectAsync(server.Match("watcher-1:wrong@"), Patient));
        Assert.Equal(RequestErrorCode.Unauthenticated, refused.Code);
    }

    [NatsFact]
    public async Task UserWhoMayNotRead_IsToldSo()
    {
        const string Users = """
            authorization { users: [
              { user: relay, password: secret }
              { user: reader, password: secret, permissions: {
                publish: ["abathur.m.watch.*", "$JS.API.STREAM.INFO.ABATHUR_m", "$JS.API.STREAM.MSG.GET.ABATHUR_m", "$JS.API.DIRECT.GET.>"]
                subscribe: ["_INBOX.abathur.m.>"] } } ] }
            """;
        using var server = NatsServer.Run(Users);
        using var daemon = await DaemonProcess.StartAsync(
            "play", CommittedRecording.Path, "--relay", server.Match("relay:secret@"));
        await using var game = await NatsGame.ConnectAsync(server.Match("reader:secret@"), Patient);
        var error = await Assert.ThrowsAsync<RequestException>(async () =>
        {
            await foreach (var _ in game.Frames(Every)) Assert.Fail("a frame");
        });
        Assert.Equal(RequestErrorCode.PermissionDenied, error.Code);
        Assert.Contains("may not publish to $js.api.consumer.create.ABATHUR_m", error.Reason, StringComparison.OrdinalIgnoreCase);
    }

    [NatsFact]
    public async Task Tls_IsReadWithTheCertificateOnly()
    {
        using var folder = new TemporaryFolder();
        var (certificate, key) = TestCertificate.Write(folder.Path);
        using var server = NatsServer.Run($$"""
            tls { cert_file: "{{certificate.Replace('\\', '/')}}", key_file: "{{key.Replace('\\', '/')}}" }
            """);
        var address = server.Match().Replace("nats://", "natss://", StringComparison.Ordinal);
        using var daemon = await DaemonProcess.StartAsync(
            ["play", CommittedRecording.Path, "--start-paused", "--relay", address], [("ABATHUR_CA", certificate)]);
        await using var game = await NatsGame.ConnectAsync(address, Patient with { CaFile = certificate });
        await game.Playback.StepAsync();
        await foreach (var frame in game.Frames(Every with { MaxFrames = 1 })) Assert.Equal(FirstGameLoop, frame.GameLoop);
        var refused = await Assert.ThrowsAsync<RequestException>(() => NatsGame.ConnectAsync(address));
        Assert.Equal(RequestErrorCode.Unauthenticated, refused.Code);
        Assert.StartsWith("TLS with the NATS server fails", refused.Reason, StringComparison.Ordinal);
    }

    [NatsFact]
    public async Task Tls_LoginIsNotSentWithoutIt()
    {
        using var server = NatsServer.Run();
        var address = server.Match("user:secret@").Replace("nats://", "natss://", StringComparison.Ordinal);
        var error = await Assert.ThrowsAsync<RequestException>(() => NatsGame.ConnectAsync(address));
        Assert.Equal(RequestErrorCode.Unauthenticated, error.Code);
        Assert.Contains("the server does not offer TLS", error.Reason, StringComparison.Ordinal);
    }

    [GeneratedRegex("(?<=```conf\n)listen:.*?(?=```)", RegexOptions.Singleline)]
    private static partial Regex Configuration();
}
