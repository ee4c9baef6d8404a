using Abathur.Fuzz.Targets;

namespace Abathur.Fuzz;

/// <summary>All targets.</summary>
internal static class FuzzTargets
{
    /// <summary>Those that need an interpreter with the package.</summary>
    public static IReadOnlyList<string> InPython => [ColumnsPythonTarget.TargetName, MessagePythonTarget.TargetName];

    /// <summary>Their names, in the order they are run in.</summary>
    public static IReadOnlyList<string> Names { get; } =
    [
        "wire", "json-to-wire", "wire-to-json", "columns", .. InPython, "mcap", "grpc", "http2", "publish", "socket", "websocket",
    ];

    /// <summary>A target by its name; the caller disposes it.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="python">The interpreter with the package, for the targets that need it.</param>
    public static IFuzzTarget Create(string name, string python) => name switch
    {
        "wire" => new WireTarget(),
        "json-to-wire" => new JsonToWireTarget(),
        "wire-to-json" => new WireToJsonTarget(),
        "columns" => new ColumnsTarget(),
        ColumnsPythonTarget.TargetName => new ColumnsPythonTarget(python),
        MessagePythonTarget.TargetName => new MessagePythonTarget(python),
        "mcap" => new McapTarget(),
        "grpc" => new GrpcTarget(),
        "http2" => new Http2Target(),
        "publish" => new PublishTarget(),
        "socket" => new SocketTarget(),
        "websocket" => new WebSocketTarget(),
        PlantedTarget.TargetName => new PlantedTarget(),
        _ => throw new ArgumentException($"there is no target {name}", nameof(name)),
    };
}
