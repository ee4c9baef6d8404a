namespace Abathur.Columns.Arrays;

/// <summary>The type of the values of an array; all are little-endian.</summary>
public enum UnitArrayType
{
    /// <summary>One bit for each value, the lowest bit of a byte first.</summary>
    Flag,
    Signed8,
    Signed32,
    Unsigned32,
    Unsigned64,

    /// <summary>A <c>float</c> of 32 bits.</summary>
    Real32,
}
