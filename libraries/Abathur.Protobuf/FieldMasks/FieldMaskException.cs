namespace Abathur.Protobuf.FieldMasks;

/// <summary>A field mask that names what is not there. The message says which path and what there is.</summary>
public sealed class FieldMaskException(string message) : Exception(message);
