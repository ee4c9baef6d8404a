using System.Collections.Concurrent;
using Abathur.Protobuf.FieldMasks;
using Google.Protobuf.Reflection;

namespace Abathur.Protobuf.ProtoJson.Schema;

/// <summary>Creates the tables of message types from their descriptors.</summary>
internal sealed class TableCompiler(TypeRegistry types)
{
    // Bytes for a value: its quotes and comma, the longest number, and a few bytes for a well-known type that is empty on the wire.
    private const int ValueBytes = 40;

    // With longer names a small message would need too much memory.
    private const int MaxNameBytes = 256;

    // The files that Google.Protobuf counts as well known. Not all of their types have a special JSON form.
    private static readonly HashSet<string> WellKnownFiles =
        [.. new[] { "any", "api", "duration", "empty", "field_mask", "source_context", "struct", "timestamp", "type", "wrappers" }.Select(
            name => $"google/protobuf/{name}.proto")];

    private readonly ConcurrentDictionary<string, MessageTable?> _inAny = new();

    /// <summary>Tables of a type and of all types in it, restricted by a mask if there is one.</summary>
    public static MessageTable Compile(MessageDescriptor type, FieldMaskNode? mask = null)
    {
        var whole = new Dictionary<MessageDescriptor, MessageTable>();
        var all = new List<MessageTable>();
        var root = mask is null or { IsWhole: true } || WellKnownOf(type) != WellKnown.None
            ? Table(type, whole, all)
            : Masked(type, mask, whole, all);
        SetExpansion(all);
        return root;
    }

    /// <summary>The table of a type named in an Any; null if the registry has no such type.</summary>
    public MessageTable? FindInAny(string fullName) =>
        _inAny.TryGetValue(fullName, out var known) ? known
        : types.Find(fullName) is { } type ? _inAny.GetOrAdd(fullName, Compile(type))
        : null;

    private static MessageTable Table(MessageDescriptor type, Dictionary<MessageDescriptor, MessageTable> whole, List<MessageTable> all)
    {
        if (whole.TryGetValue(type, out var known)) return known;
        var table = new MessageTable(type.FullName, WellKnownOf(type), IsValueInAny(type));
        whole.Add(type, table);
        all.Add(table);
        Fill(table, type, type.Fields.InFieldNumberOrder(), field => Table(field.MessageType, whole, all));
        return table;
    }

    private static MessageTable Masked(
        MessageDescriptor type, FieldMaskNode mask, Dictionary<MessageDescriptor, MessageTable> whole, List<MessageTable> all)
    {
        var table = new MessageTable(type.FullName, WellKnownOf(type), IsValueInAny(type));
        all.Add(table);
        var kept = type.Fields.InFieldNumberOrder().Where(field => mask.Child(field.FieldNumber) is not null);
        // A type with a special JSON form has no fields in JSON that could be omitted, so it is kept completely.
        Fill(table, type, kept, field => mask.Child(field.FieldNumber) is { IsWhole: false } child
            && WellKnownOf(field.MessageType) == WellKnown.None
            ? Masked(field.MessageType, child, whole, all)
            : Table(field.MessageType, whole, all));
        return table;
    }

    private static void Fill(
        MessageTable table, MessageDescriptor type, IEnumerable<FieldDescriptor> descriptors, Func<FieldDescriptor, MessageTable> tableOf)
    {
        var fields = new List<FieldTable>();
        var names = new List<KeyValuePair<string, FieldTable>>();
        var isBare = table.WellKnown is WellKnown.ListValue or WellKnown.Struct or WellKnown.Value or WellKnown.Wrapper;
        foreach (var descriptor in descriptors)
        {
            var field = new FieldTable(descriptor, fields.Count, isBare);
            if (field.Kind is FieldKind.Message or FieldKind.Group) field.Message = tableOf(descriptor);
            if (field.Kind is FieldKind.Enum) field.Enum = new EnumTable(descriptor.EnumType);
            fields.Add(field);
            names.Add(new(descriptor.Name, field));
            names.Add(new(descriptor.JsonName, field));
        }
        table.SetFields([.. fields], names, type.RealOneofCount);
    }

    private static void SetExpansion(List<MessageTable> all)
    {
        var holdsAny = all.Any(table => table.WellKnown == WellKnown.Any);
        var longest = all.SelectMany(table => table.Fields)
            .Select(field => Math.Max(field.CommaName.Length, field.Enum?.LongestName ?? 0))
            .DefaultIfEmpty(0)
            .Max();
        foreach (var table in all) table.MaxExpansion = holdsAny || longest > MaxNameBytes ? 0 : longest + ValueBytes;
    }

    private static bool IsValueInAny(MessageDescriptor type) =>
        WellKnownOf(type) != WellKnown.None || (type.File.Package == "google.protobuf" && WellKnownFiles.Contains(type.File.Name));

    private static WellKnown WellKnownOf(MessageDescriptor type)
    {
        if (type.File.Package != "google.protobuf") return WellKnown.None;
        return type.Name switch
        {
            "Any" => WellKnown.Any,
            "Duration" => WellKnown.Duration,
            "FieldMask" => WellKnown.FieldMask,
            "ListValue" => WellKnown.ListValue,
            "Struct" => WellKnown.Struct,
            "Timestamp" => WellKnown.Timestamp,
            "Value" => WellKnown.Value,
            "BoolValue"
                or "BytesValue"
                or "DoubleValue"
                or "FloatValue"
                or "Int32Value"
                or "Int64Value"
                or "StringValue"
                or "UInt32Value"
                or "UInt64Value" => WellKnown.Wrapper,
            _ => WellKnown.None,
        };
    }
}
