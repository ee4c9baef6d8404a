using SC2APIProtocol;

namespace Abathur.Emulator.Queries;

/// <summary>A grid of open and closed cells from an <c>ImageData</c> of the game info. Cell (x, y) covers [x, x+1) × [y, y+1); row 0 is y =
/// 0.</summary>
/// <remarks>One bit per cell, the highest bit first, or one byte per cell; 0 is closed. Missing cells and cells outside are
/// closed.</remarks>
internal sealed class TerrainGrid
{
    private readonly bool[] _open;

    public TerrainGrid(int width, int height, Func<int, int, bool> isOpen)
    {
        (Width, Height) = (width, height);
        _open = new bool[width * height];
        for (var i = 0; i < _open.Length; i++) _open[i] = isOpen(i % width, i / width);
    }

    public int Width { get; }

    public int Height { get; }

    public bool this[int x, int y] => (uint)x < (uint)Width && (uint)y < (uint)Height && _open[y * Width + x];

    /// <summary>The column or row of a coordinate; -1, which is outside of all grids, if it is not a number or too large.</summary>
    public static int CellAt(float coordinate) => coordinate is >= 0 and < 65536 ? (int)coordinate : -1;

    /// <summary>Reads an image; an empty grid if the image is missing or its size is out of range.</summary>
    public static TerrainGrid From(ImageData? image)
    {
        // No map is larger than 256 by 256; 4096 limits the memory for a damaged size.
        const int MaxSide = 4096;
        if (image?.Size is not { X: > 0 and <= MaxSide, Y: > 0 and <= MaxSide } size) return new TerrainGrid(0, 0, static (_, _) => false);
        var data = image.Data;
        return new TerrainGrid(size.X, size.Y, (x, y) =>
        {
            var cell = y * size.X + x;
            var at = image.BitsPerPixel == 1 ? cell >> 3 : cell;
            if (at >= data.Length) return false;
            return image.BitsPerPixel == 1 ? (data[at] & (0x80 >> (cell & 7))) != 0 : data[at] != 0;
        });
    }
}
