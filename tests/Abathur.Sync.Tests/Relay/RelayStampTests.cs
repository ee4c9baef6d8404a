using System.Text;
using Abathur.Client.Nats.Wire;

namespace Abathur.Sync.Tests.Relay;

public class RelayStampTests
{
    private static readonly RelayStamp Frame = new("run-1", 20, 8979, 21, 17, 3);

    [Fact]
    public void Headers_ReadAgain_SayTheSame()
    {
        Assert.Equal(Frame, Read(Frame));
        var end = Frame with { End = "OK" };
        Assert.Equal(end, Read(end));
        Assert.NotEqual(Frame.MessageId("a"), end.MessageId("a"));
        Assert.NotEqual(Frame.MessageId("a"), Frame.MessageId("b"));
    }

    [Theory]
    [InlineData("Nats-Expected-Stream", "ABATHUR_other")]
    [InlineData("Nats-Expected-Last-Sequence", "19")]
    [InlineData("Nats-Expected-Last-Sequence", "-1")]
    [InlineData("Abathur-Sequence", "1e3")]
    [InlineData("Abathur-Loop", "4294967296")]
    [InlineData("Abathur-Keyframe", "22")]
    [InlineData("Abathur-Keyframe", "0")]
    [InlineData("Abathur-First", "22")]
    [InlineData("Abathur-First", null)]
    [InlineData("Abathur-Run", null)]
    public void Of_WhatNoRelayCanHaveWritten_IsNull(string header, string? value) => Assert.Null(Read(Frame, header, value));

    [Fact]
    public void Of_AnotherPosition_IsNull() => Assert.Null(RelayStamp.Of(Written(Frame), "m", 22));

    [Fact]
    public void Of_NoHeaders_IsNull() => Assert.Null(RelayStamp.Of([], "m", 1));

    private static RelayStamp? Read(RelayStamp stamp, string header = "", string? value = null) =>
        RelayStamp.Of(Written(stamp, header, value), "m", stamp.Position);

    private static byte[] Written(RelayStamp stamp, string header = "", string? value = null)
    {
        var headers = stamp.Headers().ToDictionary();
        headers[RelayStamp.ExpectedStream] = "ABATHUR_m";
        headers[RelayStamp.ExpectedLast] = $"{stamp.Position - 1}";
        if (value is null) headers.Remove(header);
        else headers[header] = value;
        return Encoding.UTF8.GetBytes(
            $"NATS/1.0\r\n{string.Concat(headers.Select(each => $"{each.Key}: {each.Value}\r\n"))}\r\n");
    }
}
