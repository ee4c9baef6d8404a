namespace Abathur.Columns.Encoding;

/// <summary>State of a row of units in the encoder, besides its cells.</summary>
internal struct EncoderRow
{
    /// <summary>The row is free.</summary>
    public const int Free = -1;

    /// <summary>The row's unit is unchanged.</summary>
    public const int Same = -2;

    /// <summary>Whether it has a unit after the last frame.</summary>
    public bool IsUsed;

    /// <summary>Whether the unit moves in the direction that it faces.</summary>
    public bool Heads;

    /// <summary>Whether a velocity is not zero.</summary>
    public bool Moves;

    /// <summary>Whether a unit of the current frame has it.</summary>
    public bool IsClaimed;

    /// <summary>Whether that unit is new to it.</summary>
    public bool IsNew;

    /// <summary>Whether the unit's tag maps to this row; false for a second unit with the same tag.</summary>
    public bool HasTag;

    /// <summary>Whether the unit has to be parsed even if its bytes are unchanged.</summary>
    public bool HasExtras;

    /// <summary>The unit's place among those parsed in this frame, or <see cref="Free"/> or <see cref="Same"/>.</summary>
    public int Slot;

    /// <summary>Where the unit's bytes are in the last observation.</summary>
    public int Start;

    /// <summary>Length of these bytes.</summary>
    public int Length;
}
