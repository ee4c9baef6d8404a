namespace Abathur.Client;

/// <summary>An image of the map, in map cells from the lower left corner. Empty where the observation has none.</summary>
public readonly ref struct Grid
{
    internal Grid(int width, int height, int bitsPerCell, ReadOnlySpan<byte> data)
    {
        (Width, Height, BitsPerCell) = (width, height, bitsPerCell);
        Data = data;
    }

    /// <summary>Cells from left to right; 0: no image.</summary>
    public int Width { get; }

    /// <summary>Cells from bottom to top; 0: no image.</summary>
    public int Height { get; }

    /// <summary>1 or 8.</summary>
    public int BitsPerCell { get; }

    /// <summary>Row by row, as the game gives it. With one bit a cell, the highest bit is the first, without gaps between rows.</summary>
    public ReadOnlySpan<byte> Data { get; }

    /// <summary>The value of a cell.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is outside of the image.</exception>
    public int this[int x, int y]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)x, (uint)Width, nameof(x));
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)y, (uint)Height, nameof(y));
            var cell = (y * Width) + x;
            return BitsPerCell == 8 ? Data[cell] : Data[cell >> 3] >> (7 - (cell & 7)) & 1;
        }
    }
}
