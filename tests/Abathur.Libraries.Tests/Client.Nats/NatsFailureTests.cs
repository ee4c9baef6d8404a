using Abathur.Client.Nats.Wire;

namespace Abathur.Client.Nats.Tests;

public sealed class NatsFailureTests
{
    [Fact]
    public void Of_WhatTheServersDo_IsWhatTransportsThrow()
    {
        var lost = Assert.IsType<BrokenConnectionException>(NatsFailure.Of(new ServersLostException("slow")));
        Assert.Equal(("NATS: slow", false), (lost.Message, lost.IsNothingThere));
        var missing = Assert.IsType<BrokenConnectionException>(NatsFailure.Of(new MatchMissingException("m")));
        Assert.Equal(("there is no match 'm'", true), (missing.Message, missing.IsNothingThere));
        var denied = Assert.IsType<RequestException>(NatsFailure.Of(new NatsProblemException("no", code: "PERMISSION_DENIED")));
        Assert.Equal((RequestErrorCode.PermissionDenied, "no"), (denied.Code, denied.Reason));
        Assert.Null(NatsFailure.Of(new InvalidOperationException()));
    }
}
