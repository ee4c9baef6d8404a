namespace Abathur.Client.Nats.Wire;

/// <summary>What the user of a NATS server has to change: a login, a permission, a certificate. The message says it.</summary>
/// <param name="message">What is wrong.</param>
/// <param name="inner">What happened.</param>
/// <param name="code">Name of a gRPC status.</param>
internal class NatsProblemException(string message, Exception? inner = null, string code = "FAILED_PRECONDITION")
    : Exception(message, inner)
{
    /// <summary>Name of a gRPC status.</summary>
    public string Code => code;
}
