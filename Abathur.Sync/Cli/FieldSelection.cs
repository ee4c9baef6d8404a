using System.Collections;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Sync.Cli;

/// <summary>Fields of a message, by paths such as <c>observation.raw_data.units.tag</c>, which may lead through repeated fields.</summary>
internal sealed class FieldSelection
{
    // Selected fields by number; null: the whole field.
    private readonly Dictionary<int, FieldSelection?> _fields = [];

    private FieldSelection() { }

    /// <summary>Reads comma-separated paths.</summary>
    /// <exception cref="CliException">A path names no field.</exception>
    public static FieldSelection Parse(string paths, MessageDescriptor message)
    {
        var selection = new FieldSelection();
        foreach (var path in paths.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
            selection.Add(path, message);
        if (selection._fields.Count == 0)
            throw new CliException("--fields is empty: name fields such as observation.game_loop", ExitCode.Usage);
        return selection;
    }

    /// <summary>Clears every field of a message that is not selected.</summary>
    public void Prune(IMessage message)
    {
        foreach (var field in message.Descriptor.Fields.InFieldNumberOrder())
        {
            if (!_fields.TryGetValue(field.FieldNumber, out var inner))
            {
                field.Accessor.Clear(message);
            }
            else if (inner is not null)
            {
                var value = field.Accessor.GetValue(message);
                if (value is IMessage single) inner.Prune(single);
                else if (value is IEnumerable many) foreach (IMessage item in many) inner.Prune(item);
            }
        }
    }

    private void Add(string path, MessageDescriptor message)
    {
        var (selection, at) = (this, (MessageDescriptor?)message);
        var names = path.Split('.');
        for (var i = 0; i < names.Length; i++)
        {
            var field = at?.Fields.InFieldNumberOrder().FirstOrDefault(field => field.Name == names[i] || field.JsonName == names[i]);
            if (field is null)
            {
                var where = at is null ? $"{string.Join('.', names[..i])} is not a message" : $"{at.FullName} has no field \"{names[i]}\"";
                throw new CliException($"--fields: {path}: {where}", ExitCode.Usage);
            }
            var known = selection._fields.TryGetValue(field.FieldNumber, out var inner);
            if (known && inner is null) return;
            if (i == names.Length - 1)
            {
                selection._fields[field.FieldNumber] = null;
                return;
            }
            at = field.FieldType is FieldType.Message or FieldType.Group && !field.IsMap ? field.MessageType : null;
            selection._fields[field.FieldNumber] = inner ??= new FieldSelection();
            selection = inner;
        }
    }
}
