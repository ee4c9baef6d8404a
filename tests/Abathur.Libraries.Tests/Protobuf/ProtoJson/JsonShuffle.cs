using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Abathur.Protobuf.Tests.ProtoJson;

/// <summary>The same JSON as another program may write it: members in any order, white space, other escapes, some nulls.</summary>
internal static class JsonShuffle
{
    public static string Apply(Random random, string json)
    {
        var output = new StringBuilder();
        Write(random, JsonNode.Parse(json), output);
        return output.ToString();
    }

    private static void Write(Random random, JsonNode? node, StringBuilder output)
    {
        switch (node)
        {
            case JsonObject members:
                var list = members.ToArray();
                if (random.Next(2) == 0) random.Shuffle(list);
                output.Append('{');
                for (var i = 0; i < list.Length; i++)
                {
                    output.Append(i > 0 ? "," : "")
                        .Append(Space(random))
                        .Append(Quote(random, list[i].Key))
                        .Append(Space(random))
                        .Append(':')
                        .Append(Space(random));
                    Write(random, list[i].Value, output);
                }
                output.Append(Space(random)).Append('}');
                break;
            case JsonArray elements:
                output.Append('[');
                for (var i = 0; i < elements.Count; i++)
                {
                    output.Append(i > 0 ? "," : "").Append(Space(random));
                    Write(random, elements[i], output);
                }
                output.Append(']');
                break;
            case JsonValue value when value.GetValueKind() == JsonValueKind.String:
                output.Append(
                Quote(random, value.GetValue<string>())); break;
            default: output.Append(node?.ToJsonString() ?? "null"); break;
        }
    }

    private static string Space(Random random) => random.Next(8) switch
    {
        0 => " ",
        1 => "\r\n\t",
        _ => "",
    };

    private static string Quote(Random random, string text)
    {
        if (random.Next(3) > 0) return JsonSerializer.Serialize(text);
        var quoted = new StringBuilder("\"");
        foreach (var each in text) quoted.Append(System.Globalization.CultureInfo.InvariantCulture, $"\\u{(int)each:x4}");
        return quoted.Append('"').ToString();
    }
}
