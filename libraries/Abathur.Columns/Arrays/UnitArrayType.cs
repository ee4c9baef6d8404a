namespace Abathur.Columns.Arrays;

/// <summary>The type of the values of an array; all are little-endian.</summary>
public enum UnitArrayType
{
    /// <summary>One bit for each value, the lowest bit of a byte first.</summary>
    Flag,

    /// <summary>An <c>sbyte</c> of 8 bits.</summary>
    Signed8,

    /// <summary>An <c>int</c> of 32 bits.</summary>
    Signed32,

    /// <summary>A <c>uint</c> of 32 bits.</summary>
    Unsigned32,

    /// <summary>A <c>ulong</c> of 64 bits.</summary>
    Unsigned64,

    /// <summary>A <c>float</c> of 32 bits.</summary>
    Real32,
}
