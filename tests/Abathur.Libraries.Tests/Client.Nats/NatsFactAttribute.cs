namespace Abathur.Client.Nats.Tests;

/// <summary>A test that needs nats-server; skipped, saying so, where it is not installed.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class NatsFactAttribute : FactAttribute
{
    public NatsFactAttribute()
    {
        if (NatsServer.Program is null) Skip = "nats-server is not installed (Debian: nats-server)";
    }
}
