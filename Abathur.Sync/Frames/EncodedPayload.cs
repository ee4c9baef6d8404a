namespace Abathur.Sync.Frames;

/// <summary>The result of an encoder.</summary>
/// <param name="IsKeyframe">Whether it can be decoded without any payload before it.</param>
/// <param name="PlainBytes">Its size before compression; 0 if it is not compressed.</param>
public readonly record struct EncodedPayload(bool IsKeyframe, int PlainBytes = 0)
{
    /// <summary>The result of encoders whose payloads are independent of each other.</summary>
    public static EncodedPayload Keyframe { get; } = new(true);
}
