using Abathur.Client.Nats.Wire;
using Abathur.Sync.Relay;

namespace Abathur.Sync.Tests.Relay;

public class RelayAddressTests
{
    [Theory]
    [InlineData("nats://host/m", "host:4222", "m", null, false)]
    [InlineData("natss://a:1,b,[::1]:2/m-1", "a:1,b:4222,[::1]:2", "m-1", null, true)]
    [InlineData("nats://me:p%40ss@host", "host:4222", null, "me", false)]
    public void Nats_Address_IsRead(string text, string servers, string? match, string? user, bool isTls)
    {
        var address = NatsAddress.Parse(text, out var problem);
        Assert.Null(problem);
        Assert.NotNull(address);
        Assert.Equal((servers, match, user, isTls), (string.Join(',', address.Servers), address.Match, address.User, address.IsTls));
        if (user is not null) Assert.Equal("p@ss", address.Password);
        Assert.DoesNotContain("p@ss", $"{address}", StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nats://")]
    [InlineData("nats:///m")]
    [InlineData("nats://host:port/m")]
    [InlineData("nats://me:secret@host/a.b")]
    [InlineData("nats://host/a/b")]
    [InlineData("host:4222")]
    public void Nats_OtherTexts_AreRefusedWithoutThePassword(string text)
    {
        Assert.Null(NatsAddress.Parse(text, out var problem));
        Assert.Contains("expected nats://HOST:PORT", problem, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("127.0.0.1:1", "grpc://127.0.0.1:1", "http://127.0.0.1:1/")]
    [InlineData("grpc://host", "grpc://host:22400", "http://host:22400/")]
    [InlineData("grpcs://[::1]:7", "grpcs://[::1]:7", "https://[::1]:7/")]
    [InlineData("grpc+unix:/tmp/s", "grpc+unix:/tmp/s", "http://localhost/")]
    public void Grpc_Address_IsRead(string text, string shown, string uri)
    {
        var address = GrpcAddress.Parse(text, out var problem);
        Assert.Null(problem);
        Assert.NotNull(address);
        Assert.Equal((shown, uri), (address.ToString(), address.Uri.ToString()));
    }

    [Theory]
    [InlineData("socket://127.0.0.1:1")]
    [InlineData("http://127.0.0.1:1")]
    [InlineData("grpc://host:65536")]
    [InlineData("match:no-such-match")]
    [InlineData("match:../x")]
    [InlineData("")]
    public void Grpc_OtherTexts_AreRefused(string text)
    {
        Assert.Null(GrpcAddress.Parse(text, out var problem));
        Assert.NotNull(problem);
    }

    [Theory]
    [InlineData("skirmish-7", "skirmish-7")]
    [InlineData("-a b/c-", "a-b-c")]
    [InlineData("///", "match")]
    [InlineData("", "match")]
    public void NameOf_MatchId_IsAName(string id, string name) => Assert.Equal(name, RelayServers.NameOf(id));
}
