using Abathur.Columns.Tables;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>The map of a frame as images. Valid as long as the frame.</summary>
public readonly struct Grids
{
    private readonly GameFrame _frame;

    internal Grids(GameFrame frame) => _frame = frame;

    /// <summary>What the player sees of each cell: 0 hidden, 1 fogged, 2 visible, 3 hidden in full.</summary>
    public Grid Visibility => Get(BlobId.Visibility, _frame.Rest.Observation?.RawData?.MapState?.Visibility);

    /// <summary>Where creep is: 1, else 0.</summary>
    public Grid Creep => Get(BlobId.Creep, _frame.Rest.Observation?.RawData?.MapState?.Creep);

    private Grid Get(BlobId blob, ImageData? image)
    {
        if (image?.Size is not { X: > 0, Y: > 0 } size) return default;
        var content = _frame.State.Content;
        var data = content.HasColumns ? content.Blob(blob).Span : image.Data.Span;
        var isThere = image.BitsPerPixel is 1 or 8 && data.Length * 8L >= (long)size.X * size.Y * image.BitsPerPixel;
        return isThere ? new Grid(size.X, size.Y, image.BitsPerPixel, data) : default;
    }
}
