using Google.Protobuf;

namespace Abathur.Protobuf.Tests.FieldMasks;

/// <summary>A field mask applied by reflection to a parsed message: the oracle of the projection of wire bytes.</summary>
internal static class Projected
{
    /// <summary>Clears what no path of the mask names.</summary>
    public static void Keep(IMessage message, params string[] mask) => Keep(message, [.. mask.Select(path => path.Split('.'))]);

    private static void Keep(IMessage message, string[][] paths)
    {
        foreach (var field in message.Descriptor.Fields.InDeclarationOrder())
        {
            var below = paths.Where(path => path[0] == field.Name).Select(path => path[1..]).ToArray();
            if (below.Length == 0)
            {
                field.Accessor.Clear(message);
            }
            else if (!below.Any(path => path.Length == 0))
            {
                var values = field.IsRepeated
                    ? ((System.Collections.IEnumerable)field.Accessor.GetValue(message)).Cast<IMessage>()
                    : [(IMessage)field.Accessor.GetValue(message)];
                foreach (var value in values) if (value is not null) Keep(value, below);
            }
        }
    }
}
