namespace Abathur.Sync.Encodings;

/// <summary>What an encoder has written.</summary>
/// <param name="IsKeyframe">Whether it can be decoded without any payload before it.</param>
/// <param name="PlainBytes">Its size before compression; 0 where it is not compressed.</param>
public readonly record struct EncodedPayload(bool IsKeyframe, int PlainBytes = 0)
{
    /// <summary>What encoders return that keep nothing from one frame to the next.</summary>
    public static EncodedPayload Keyframe { get; } = new(true);
}
