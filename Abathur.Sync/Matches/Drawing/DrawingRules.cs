using Abathur.Sync.V1;

namespace Abathur.Sync.Matches.Drawing;

/// <summary>Limits of drawings.</summary>
internal static class DrawingRules
{
    /// <summary>Shapes in one request.</summary>
    public const int MaxShapesAtOnce = 1000;

    /// <summary>Characters of a layer's name.</summary>
    public const int MaxLayerLength = 64;

    /// <summary>Characters of a text.</summary>
    public const int MaxTextLength = 200;

    /// <summary>Maximum lifetime of a shape in game loops: more than an hour.</summary>
    public const uint MaxLifetime = 100_000;

    // Maps have at most 256 cells a side; shapes outside are allowed but not visible.
    private const float MaxCoordinate = 10_000;
    private const uint MaxColor = 0xFFFFFF;

    /// <summary>What is wrong with a request; null if it is valid.</summary>
    public static string? Problem(DrawRequest request)
    {
        if (request.Layer.Length > MaxLayerLength)
            return $"layer has {request.Layer.Length} characters; at most {MaxLayerLength} are allowed";
        if (request.Shapes.Count > MaxShapesAtOnce) return $"{request.Shapes.Count} shapes at once; at most {MaxShapesAtOnce} are allowed";
        for (var i = 0; i < request.Shapes.Count; i++)
        {
            if (Problem(request.Shapes[i]) is { } problem) return $"shapes[{i}]: {problem}";
        }
        return null;
    }

    /// <summary>What is wrong with a shape; null if it is valid.</summary>
    public static string? Problem(Shape shape)
    {
        if (shape.HasColor && shape.Color > MaxColor) return $"color 0x{shape.Color:X} is not 0xRRGGBB";
        if (shape.LifetimeGameLoops > MaxLifetime)
            return $"lifetime_game_loops is {shape.LifetimeGameLoops}; at most {MaxLifetime} are allowed";
        return shape.ShapeCase switch
        {
            Shape.ShapeOneofCase.Point => Problem("point.at", shape.Point.At),
            Shape.ShapeOneofCase.Circle => Problem("circle.at", shape.Circle.At) ?? RadiusProblem(shape.Circle.Radius),
            Shape.ShapeOneofCase.Line => Problem("line.from", shape.Line.From) ?? Problem("line.to", shape.Line.To),
            Shape.ShapeOneofCase.Text => Problem("text.at", shape.Text.At) ?? TextProblem(shape.Text.Text_),
            _ => "expected one of point, circle, line, text",
        };
    }

    private static string? Problem(string what, Shape.Types.Position? position)
    {
        if (position is null) return $"{what} is missing";
        return IsCoordinate(position.X) && IsCoordinate(position.Y) && IsCoordinate(position.Z)
            ? null
            : $"{what} is not within {MaxCoordinate} cells";
    }

    private static string? RadiusProblem(float radius) =>
        radius is > 0 and <= MaxCoordinate ? null : $"circle.radius {radius} is not more than 0 and at most {MaxCoordinate}";

    private static string? TextProblem(string text) =>
        text.Length is > 0 and <= MaxTextLength ? null : $"text.text has {text.Length} characters; 1 to {MaxTextLength} are allowed";

    // False for NaN as well.
    private static bool IsCoordinate(float value) => value is >= -MaxCoordinate and <= MaxCoordinate;
}
