using Google.Protobuf.Reflection;

namespace Abathur.Protobuf.FieldMasks;

/// <summary>The part of a field mask for one message type at one place in the tree of messages.</summary>
internal sealed class FieldMaskNode
{
    /// <summary>Maximum number of paths of one mask.</summary>
    public const int MaxPaths = 1000;

    /// <summary>Maximum number of fields in one path.</summary>
    public const int MaxDepth = 32;

    private const int MaxFieldNumber = 1 << 16;
    private FieldMaskNode?[] _children = [];

    /// <summary>Whether the field is kept completely.</summary>
    public bool IsWhole { get; private set; }

    /// <summary>The tree for a mask on a type.</summary>
    /// <exception cref="FieldMaskException">There are too many paths, or one is empty, too long, or names a field that does not
    /// exist.</exception>
    public static FieldMaskNode Compile(MessageDescriptor type, IReadOnlyCollection<string> paths)
    {
        CheckCount(paths.Count);
        var root = new FieldMaskNode();
        foreach (var path in paths) root.Add(type, path);
        return root;
    }

    /// <summary>Refuses a mask with too many paths before it is processed.</summary>
    public static void CheckCount(int paths)
    {
        if (paths > MaxPaths) throw new FieldMaskException($"a field mask has {paths} paths; {MaxPaths} are allowed");
    }

    /// <summary>The node of a field; null if the mask excludes it.</summary>
    public FieldMaskNode? Child(int number) => (uint)number < (uint)_children.Length ? _children[number] : null;

    private void Add(MessageDescriptor type, string path)
    {
        var names = path.Split('.');
        if (names.Length > MaxDepth) throw new FieldMaskException($"path \"{path}\" is deeper than {MaxDepth} fields");
        var (node, message) = (this, type);
        foreach (var name in names)
        {
            if (message is null) throw new FieldMaskException($"path \"{path}\" goes on after a field that is not a message");
            var field = message.FindFieldByName(name) ?? throw Unknown(path, name, message);
            if (node.IsWhole) return;
            node = node.AddChild(field.FieldNumber);
            message = field.FieldType == FieldType.Message && !field.IsMap ? field.MessageType : null;
        }
        node.IsWhole = true;
    }

    private FieldMaskNode AddChild(int number)
    {
        if (number >= MaxFieldNumber) throw new FieldMaskException($"field number {number} is not covered by field masks");
        if (number >= _children.Length) Array.Resize(ref _children, number + 1);
        return _children[number] ??= new FieldMaskNode();
    }

    private static FieldMaskException Unknown(string path, string name, MessageDescriptor message) =>
        new($"field mask path \"{path}\": {message.Name} has no field \"{name}\"; it has "
            + $"{string.Join(", ", message.Fields.InDeclarationOrder().Select(field => field.Name))}");
}
