namespace Abathur.Fuzz;

/// <summary>A target has done something that it must not do; the message says what.</summary>
internal sealed class FuzzFailureException(string message) : Exception(message);
