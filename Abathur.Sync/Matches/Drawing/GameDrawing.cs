using SC2APIProtocol;
using Drawings = Abathur.Sync.V1.Drawings;
using Shape = Abathur.Sync.V1.Shape;

namespace Abathur.Sync.Matches.Drawing;

/// <summary>
/// Draws the shapes of agents in the game. A <c>RequestDebug</c> that draws replaces everything that the client has drawn before. Therefore
/// each request contains all shapes, including those that the bot behind a proxy has drawn itself.
/// </summary>
/// <param name="board">The shapes of agents.</param>
public sealed class GameDrawing(DrawingBoard board)
{
    private const float PointRadius = 0.15f;
    private const uint White = 0xFFFFFF;
    private const uint TextSize = 12;

    // Above the ground, so that the ground does not hide shapes.
    private const float Lift = 0.1f;
    private readonly Lock _gate = new();
    private IReadOnlyList<DebugDraw> _ofBot = [];
    private bool _isReplaced;
    private long _drawn;

    /// <summary>The map, for shapes without a height; null: unknown.</summary>
    public ImageData? TerrainHeight { get; set; }

    /// <summary>The bot has drawn in the game, which replaces all earlier drawings.</summary>
    public void BotDrew(RequestDebug request)
    {
        DebugDraw[] drawn = [.. request.Debug.Select(command => command.Draw).OfType<DebugDraw>()];
        if (drawn.Length == 0) return;
        lock (_gate) (_ofBot, _isReplaced) = (drawn, true);
    }

    /// <summary>The request to send to the game; null if the game already shows everything. Always null before the first drawing of an
    /// agent.</summary>
    public Request? TakeRequest()
    {
        Drawings drawings;
        var draw = new DebugDraw();
        lock (_gate)
        {
            if (board.Version == 0 || (board.Version == _drawn && !_isReplaced)) return null;
            drawings = board.Read(out _drawn);
            _isReplaced = false;
            foreach (var own in _ofBot) draw.MergeFrom(own);
        }
        foreach (var drawn in drawings.Layers.SelectMany(layer => layer.Shapes)) Add(draw, drawn.Shape);
        return new Request { Debug = new RequestDebug { Debug = { new DebugCommand { Draw = draw } } } };
    }

    /// <summary>Height of the ground in game units at a place of the map; 0 outside of it.</summary>
    /// <param name="terrain"><c>StartRaw.terrain_height</c>: a byte a cell, 0 for -16 and 255 for 16, as units standing on it show.</param>
    /// <param name="x">In cells.</param>
    /// <param name="y">In cells.</param>
    public static float GroundAt(ImageData? terrain, float x, float y)
    {
        if (terrain is not { BitsPerPixel: 8, Size: { } size } || !(x >= 0 && y >= 0 && x < size.X && y < size.Y)) return 0;
        var cell = ((int)y * size.X) + (int)x;
        return cell < terrain.Data.Length ? -16 + (32 * terrain.Data[cell] / 255f) : 0;
    }

    private void Add(DebugDraw draw, Shape shape)
    {
        var color = ToColor(shape.HasColor ? shape.Color : White);
        switch (shape.ShapeCase)
        {
            case Shape.ShapeOneofCase.Point:
                draw.Spheres.Add(
                    new DebugSphere { Color = color, P = ToPoint(shape.Point.At), R = PointRadius });
                break;
            case Shape.ShapeOneofCase.Circle:
                draw.Spheres.Add(
                    new DebugSphere { Color = color, P = ToPoint(shape.Circle.At), R = shape.Circle.Radius });
                break;
            case Shape.ShapeOneofCase.Line:
                draw.Lines.Add(
                    new DebugLine { Color = color, Line = new Line { P0 = ToPoint(shape.Line.From), P1 = ToPoint(shape.Line.To) } });
                break;
            case Shape.ShapeOneofCase.Text:
                draw.Text.Add(
                    new DebugText { Color = color, Text = shape.Text.Text_, WorldPos = ToPoint(shape.Text.At), Size = TextSize });
                break;
        }
    }

    private Point ToPoint(Shape.Types.Position at) =>
        new() { X = at.X, Y = at.Y, Z = at.HasZ ? at.Z : GroundAt(TerrainHeight, at.X, at.Y) + Lift };

    private static Color ToColor(uint rgb) => new() { R = rgb >> 16, G = (rgb >> 8) & 0xFF, B = rgb & 0xFF };
}
