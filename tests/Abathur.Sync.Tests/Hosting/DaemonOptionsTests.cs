using System.Net;
using Abathur.Sync.Access;
using Abathur.Sync.Hosting;

namespace Abathur.Sync.Tests.Hosting;

public class DaemonOptionsTests
{
    private const string Act = "act-token-0123456789";
    private const string Watch = "watch-token-0123456789";

    private static AccessTokens Two => new(Act, Watch);

    public static TheoryData<DaemonOptions, string> Wrong => new()
    {
        { new DaemonOptions { GrpcPort = 65536 }, "GrpcPort is 65536; it must be 0 to 65535" },
        { new DaemonOptions { HttpPort = -1 }, "HttpPort is -1; it must be 0 to 65535" },
        { new DaemonOptions { MaxConnections = 0 }, "MaxConnections is 0; it must be at least 1" },
        { new DaemonOptions { DrainTimeout = TimeSpan.Zero }, "DrainTimeout is 00:00:00; it must be more than 0 and less than 49 days" },
        { new DaemonOptions { DeadPeerTimeout = TimeSpan.MaxValue }, "DeadPeerTimeout is" },
        { new DaemonOptions { Hub = new() { EncodeQueueFrames = 0 } }, "EncodeQueueFrames is 0; it must be at least 1" },
        {
            new DaemonOptions { WebSocket = new() { MaxFirstMessageBytes = 2 << 20 } },
            "MaxFirstMessageBytes is 2097152; it must be 1 to 1048576"
        },
        { new DaemonOptions { Recordings = new() { Folder = "there/is/none" } }, "there is no folder there/is/none" },
        { new DaemonOptions { Access = new() { ActRate = 0 } }, "ActRate is 0; it must be at least 1" },
        { Delayed(TimeSpan.FromSeconds(0.05), Two), "a delay of 0.05 s is not 0.1 s to 1 h" },
        { Delayed(TimeSpan.FromHours(2), Two), "a delay of 7200 s is not 0.1 s to 1 h" },
        { Delayed(TimeSpan.FromSeconds(60), new(Act, null)), "a delay is for clients with the token for watching, so it needs two" },
        { Delayed(TimeSpan.FromSeconds(60), new(null, Watch)), "a delay is for clients with the token for watching, so it needs two" },
        { Delayed(TimeSpan.FromSeconds(60), new(Act, Act)), "a delay is for clients with the token for watching, so it needs two" },
        {
            Delayed(TimeSpan.FromSeconds(60), Two) with { Hub = new() { HistoryBytes = 0 } },
            "a delay needs HistoryBytes of more than 0, because frames wait in the history"
        },
        // Without this, a program that is not the command line could listen on the network without a token.
        { new DaemonOptions { Access = new AccessOptions { Address = IPAddress.Any } }, "0.0.0.0 is not a loopback address" },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Daemon_OptionIsWrong_RefusesItByName(DaemonOptions options, string expected)
    {
        var error = Assert.Throws<ArgumentException>(() => new Daemon(null!, options, TimeProvider.System));
        Assert.StartsWith(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Problem_Defaults_None() => Assert.Null(new DaemonOptions().Problem());

    [Theory]
    [InlineData(0.1)]
    [InlineData(3600)]
    public void Problem_DelayWithTwoTokens_None(double seconds) => Assert.Null(Delayed(TimeSpan.FromSeconds(seconds), Two).Problem());

    private static DaemonOptions Delayed(TimeSpan delay, AccessTokens tokens) =>
        new() { Access = new() { WatchDelay = delay, Tokens = tokens } };
}
