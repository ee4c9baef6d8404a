using System.Net;
using Abathur.Sync.Access;

namespace Abathur.Sync.Tests.Access;

public class WebOriginsTests
{
    [Theory]
    [InlineData("http://localhost:3000", "http://localhost:3000")]
    [InlineData("HTTPS://Example.org", "https://example.org")]
    [InlineData("https://example.org:443", "https://example.org")]
    [InlineData("http://[::1]:80", "http://[::1]")]
    [InlineData("http://a/b", null)]
    [InlineData("http://a/", null)]
    [InlineData("http://u@a", null)]
    [InlineData("*", null)]
    [InlineData("null", null)]
    [InlineData("a:1", null)]
    [InlineData("", null)]
    public void TryParse_Text_IsAsBrowsersWriteItOrNull(string text, string? expected) =>
        Assert.Equal(expected, WebOrigins.TryParse(text, out _));

    [Theory]
    [InlineData("127.0.0.1", 80, "http://127.0.0.1", true)]
    [InlineData("127.0.0.1:80", 80, "http://127.0.0.1", true)]
    [InlineData("127.0.0.7:5", 5, "http://127.0.0.7:5", true)]
    [InlineData("[::1]:5", 5, "http://[::1]:5", true)]
    [InlineData("[::1]", 5, null, false)]
    [InlineData("[::2]:5", 5, null, false)]
    [InlineData("::1:5", 5, null, false)]
    [InlineData("localhost.:5", 5, null, false)]
    [InlineData("127.0.0.01:5", 5, null, false)]
    [InlineData("2130706433:5", 5, null, false)]
    [InlineData("localhost:5", 5, "http://localhost:5/", false)]
    [InlineData("localhost:5", 5, "http://localhost:5, http://localhost:5", false)]
    [InlineData(null, 5, null, false)]
    public void Refusal_HostAndOrigin_OnlyTheDaemonsOwn(string? host, int port, string? origin, bool isAllowed) =>
        Assert.Equal(isAllowed, new WebOrigins([]).Refusal(host, origin is null ? [] : [origin], port) is null);

    [Theory]
    [InlineData("127.0.0.1", true)]
    [InlineData("localhost", true)]
    [InlineData("[::1]:6", true)]
    [InlineData("example.org", false)]
    [InlineData("example.org:5", false)]
    [InlineData("127.0.0.1.example.org:5", false)]
    public void Refusal_AnyPort_GoesByTheNameOfTheHost(string host, bool isAllowed) =>
        Assert.Equal(isAllowed, new WebOrigins([]) { AnyPort = true }.Refusal(host, [], 5) is null);

    [Theory]
    [InlineData("http://127.0.0.1:5001", true)]
    [InlineData("http://127.0.0.1", true)]
    [InlineData("https://localhost:1", true)]
    [InlineData("HTTP://LOCALHOST:1", true)]
    [InlineData("http://[::1]:9", true)]
    [InlineData("ws://127.0.0.1:5001", true)]
    [InlineData("http://127.8.9.10", true)]
    [InlineData("http://evil.example", false)]
    [InlineData("http://127.0.0.1.evil.example", false)]
    [InlineData("http://127.0.0.1.evil.example:5001", false)]
    [InlineData("http://localhost.evil.example", false)]
    [InlineData("http://127.0.0.1@evil.example", false)]
    [InlineData("http://localhost@evil.example", false)]
    [InlineData("http://evil.example#127.0.0.1", false)]
    [InlineData("http://evil.example/127.0.0.1", false)]
    [InlineData("http://[::2]", false)]
    [InlineData("http://0.0.0.0", false)]
    [InlineData("http://10.0.0.7", false)]
    [InlineData("file://", false)]
    [InlineData("file://localhost", false)]
    [InlineData("chrome-extension://localhost", false)]
    [InlineData("null", false)]
    [InlineData("", false)]
    public void Refusal_AnyLoopback_AllowsLoopbackOriginsOnly(string origin, bool isAllowed)
    {
        Assert.Equal(isAllowed, WebOrigins.IsLoopback(origin));
        var origins = new WebOrigins([]) { AnyPort = true, AnyLoopback = true };
        Assert.Equal(isAllowed, origins.Refusal("127.0.0.1:5", [origin], 5) is null);
        Assert.NotNull(origins.Refusal("127.0.0.1:5", [origin, "http://evil.example"], 5));
        Assert.NotNull(new WebOrigins([]).Refusal("127.0.0.1:5", [origin], 5));
    }

    [Theory]
    [InlineData("bots.example.com:5", "https://bots.example.com:5", "10.0.0.7", true)]
    [InlineData("BOTS.example.com:5", null, "10.0.0.7", true)]
    [InlineData("bots.example.com:6", null, "10.0.0.7", false)]
    [InlineData("bots.example.com:5", "http://bots.example.com:5", "10.0.0.7", false)]
    [InlineData("evil.example:5", null, "10.0.0.7", false)]
    [InlineData("10.0.0.7:5", null, "10.0.0.7", true)]
    [InlineData("10.0.0.7:5", null, "::ffff:10.0.0.7", true)]
    [InlineData("10.0.0.8:5", null, "10.0.0.7", false)]
    [InlineData("[fd00::7]:5", null, "fd00::7", true)]
    [InlineData("[FD00:0::7]:5", null, "fd00::7", false)]
    [InlineData("fd00::7:5", null, "fd00::7", false)]
    [InlineData("0.0.0.0:5", null, "10.0.0.7", false)]
    public void Refusal_OnANetwork_AllowedNamesAndTheVeryAddress(string host, string? origin, string address, bool isAllowed)
    {
        var origins = new WebOrigins([]) { Hosts = ["bots.example.com"], IsTls = true };

        Assert.Equal(isAllowed, origins.Refusal(host, origin is null ? [] : [origin], 5, IPAddress.Parse(address)) is null);
    }
}
