using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>Shapes for <see cref="AbathurGame.DrawAsync"/>. Positions and radii are map cells, colors 0xRRGGBB (default: white), lifetimes
/// game loops (default: until the next drawing on the layer).</summary>
public static class Draw
{
    /// <summary>A mark of the same size at every scale.</summary>
    public static Shape Point(float x, float y, uint? color = null, uint lifetime = 0) =>
        With(new Shape { Point = new Shape.Types.Point { At = At(x, y) } }, color, lifetime);

    /// <summary>A circle.</summary>
    public static Shape Circle(float x, float y, float radius, uint? color = null, uint lifetime = 0) =>
        With(new Shape { Circle = new Shape.Types.Circle { At = At(x, y), Radius = radius } }, color, lifetime);

    /// <summary>A line.</summary>
    public static Shape Line(float fromX, float fromY, float toX, float toY, uint? color = null, uint lifetime = 0) =>
        With(new Shape { Line = new Shape.Types.Line { From = At(fromX, fromY), To = At(toX, toY) } }, color, lifetime);

    /// <summary>A text of at most 200 characters.</summary>
    public static Shape Text(float x, float y, string text, uint? color = null, uint lifetime = 0) =>
        With(new Shape { Text = new Shape.Types.Text { At = At(x, y), Text_ = text } }, color, lifetime);

    private static Shape.Types.Position At(float x, float y) => new() { X = x, Y = y };

    private static Shape With(Shape shape, uint? color, uint lifetime)
    {
        if (color is { } given) shape.Color = given;
        shape.LifetimeGameLoops = lifetime;
        return shape;
    }
}
