using Abathur.Recordings.Tests;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Grpc.Core;
using Grpc.Net.Client;
using SC2APIProtocol;

namespace Abathur.Sync.Tests.Transports.Grpc;

/// <summary>The generated client with the package of the field, as any C# program may use it.</summary>
public sealed class GeneratedClientTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Subscribe_GivesTheFramesAndTheEnd()
    {
        await using var host = await GrpcHost.StartAsync();
        host.Run.Begin(new Match { MatchId = "generated" });
        using var channel = GrpcChannel.ForAddress(host.Address);
        var game = new GameSync.GameSyncClient(channel);
        using var limit = new CancellationTokenSource(Limit);
        using var call = game.Subscribe(
            new SubscribeRequest { Policy = Policy.Every, BufferFrames = 10 }, cancellationToken: limit.Token);
        await host.Run.Hub.WaitForSubscribersAsync(count => count == 1, limit.Token);
        var sent = new uint[] { 1, 2, 3 }.Select(loop => (Loop: loop, Bytes: RecordingSample.Observation(loop, 50_000))).ToList();
        foreach (var (loop, bytes) in sent)
            await host.Run.PublishAsync(SharedFrame.Rent(loop, FrameStamp.Now(TimeProvider.System), SharedBuffer.CopyOf(bytes)));
        foreach (var (loop, bytes) in sent)
        {
            Assert.True(await call.ResponseStream.MoveNext(limit.Token));
            Assert.Equal(loop, call.ResponseStream.Current.GameLoop);
            Assert.Equal(ResponseObservation.Parser.ParseFrom(bytes), call.ResponseStream.Current.Observation);
        }
        Assert.Equal("generated", (await game.GetMatchAsync(new GetMatchRequest())).MatchId);
        var refused = await Assert.ThrowsAsync<RpcException>(() => game.ActAsync(new ActRequest()).ResponseAsync);
        Assert.Equal(StatusCode.FailedPrecondition, refused.StatusCode);
    }
}
