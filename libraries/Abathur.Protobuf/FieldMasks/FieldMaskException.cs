namespace Abathur.Protobuf.FieldMasks;

/// <summary>A field mask names a field that does not exist. The message has the path and the existing fields.</summary>
public sealed class FieldMaskException(string message) : Exception(message);
