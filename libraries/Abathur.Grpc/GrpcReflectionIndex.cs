using Abathur.Grpc.Reflection;
using Google.Protobuf.Reflection;

namespace Abathur.Grpc;

/// <summary>Indexes files by name and by symbol.</summary>
internal sealed class GrpcReflectionIndex
{
    private readonly Dictionary<string, FileDescriptor> _files = [];
    private readonly Dictionary<string, FileDescriptor> _symbols = [];
    private readonly HashSet<string> _messages = [];
    private readonly Dictionary<(string Type, int Number), FileDescriptor> _extensions = [];

    public GrpcReflectionIndex(IReadOnlyList<string> services, IEnumerable<FileDescriptor> files)
    {
        Services = services;
        foreach (var file in files.SelectMany(GrpcReflection.WithDependencies)) Add(file);
    }

    public IReadOnlyList<string> Services { get; }

    public FileDescriptor? ByName(string name) => _files.GetValueOrDefault(name);

    public FileDescriptor? BySymbol(string symbol) => _symbols.GetValueOrDefault(symbol);

    public bool HasMessage(string type) => _messages.Contains(type);

    public IEnumerable<int> ExtensionNumbers(string type) =>
        _extensions.Keys.Where(key => key.Type == type).Select(key => key.Number).Order();

    public FileDescriptor? ByExtension(ExtensionRequest request) =>
        _extensions.GetValueOrDefault((request.ContainingType, request.ExtensionNumber));

    private void Add(FileDescriptor file)
    {
        if (!_files.TryAdd(file.Name, file)) return;
        foreach (var message in file.MessageTypes) Add(message);
        foreach (var type in file.EnumTypes) Add(type);
        foreach (var service in file.Services)
        {
            _symbols[service.FullName] = file;
            foreach (var method in service.Methods) _symbols[method.FullName] = file;
        }
        foreach (var extension in file.Extensions.UnorderedExtensions) Add(extension);
    }

    private void Add(MessageDescriptor message)
    {
        _symbols[message.FullName] = message.File;
        _messages.Add(message.FullName);
        foreach (var field in message.Fields.InDeclarationOrder()) _symbols[field.FullName] = message.File;
        foreach (var oneof in message.Oneofs) _symbols[oneof.FullName] = message.File;
        foreach (var nested in message.NestedTypes) Add(nested);
        foreach (var type in message.EnumTypes) Add(type);
        foreach (var extension in message.Extensions.UnorderedExtensions) Add(extension);
    }

    private void Add(EnumDescriptor type)
    {
        _symbols[type.FullName] = type.File;
        // The scope of an enum value is that of its enum, unlike in FullName.
        var scope = type.FullName[..^type.Name.Length];
        foreach (var value in type.Values) _symbols[scope + value.Name] = type.File;
    }

    private void Add(FieldDescriptor extension)
    {
        _symbols[extension.FullName] = extension.File;
        _extensions[(extension.ExtendeeType.FullName, extension.FieldNumber)] = extension.File;
    }
}
