using System.Buffers;
using Abathur.Protobuf.ProtoJson;
using global::Google.Protobuf;
using global::Google.Protobuf.Reflection;
using global::Google.Protobuf.WellKnownTypes;
using Label = global::Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;
using Type = global::Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;

namespace Abathur.Protobuf.Tests.ProtoJson;

/// <summary>Files with editions are refused: their zeros would be lost without a word.</summary>
public class EditionsTests
{
    private static readonly IReadOnlyList<FileDescriptor> Files = Build();

    [Theory]
    [InlineData("old.Plain", null)]
    [InlineData("new.Message", "new.Message")]
    [InlineData("old.HoldsMessage", "new.Message")]
    [InlineData("old.HoldsEnum", "new.Enum")]
    public void Create_AnyType_IsRefusedWhereEditionsAreInIt(string type, string? refused)
    {
        var descriptor = Find(type);
        if (refused is null)
        {
            Assert.NotNull(ProtoJsonTranscoder.For(descriptor));
            return;
        }
        var expected = $"{refused} is from new.proto, whose syntax is \"editions\": only proto2 and proto3 are supported";
        Assert.Equal(expected, Assert.Throws<ArgumentException>(() => ProtoJsonTranscoder.For(descriptor)).Message);
        Assert.Equal(
            expected, Assert.Throws<ArgumentException>(() => ProtoJsonTranscoder.Create(descriptor, new ProtoJsonOptions())).Message);
    }

    [Fact]
    public void Create_MaskWithoutTheEditions_IsTaken()
    {
        Assert.Throws<ArgumentException>(() => ProtoJsonTranscoder.Create(Find("old.HoldsMessage"), ["held"]));
        Assert.NotNull(ProtoJsonTranscoder.Create(Find("old.HoldsMessage"), ["number"]));
    }

    [Fact]
    public void Transcode_AnyThatHoldsAMessageWithEditions_IsRefused()
    {
        var transcoder = ProtoJsonTranscoder.Create(Any.Descriptor, new ProtoJsonOptions { TypeRegistry = TypeRegistry.FromFiles(Files) });
        var any = new Any { TypeUrl = "type.googleapis.com/new.Message", Value = ByteString.CopyFrom(8, 0) };
        var toJson = Assert.Throws<ProtoJsonException>(() => transcoder.ToJson(any.ToByteArray(), new ArrayBufferWriter<byte>()));
        var toProto = Assert.Throws<ProtoJsonException>(
            () => transcoder.ToProto("""{"@type":"type.googleapis.com/new.Message","number":0}"""u8, new ArrayBufferWriter<byte>()));
        foreach (var error in new[] { toJson, toProto })
        {
            Assert.Equal(ProtoJsonError.NoJsonForm, error.Error);
            Assert.Contains("new.Message is from new.proto", error.Message, StringComparison.Ordinal);
        }
    }

    private static MessageDescriptor Find(string type) => TypeRegistry.FromFiles(Files).Find(type);

    private static IReadOnlyList<FileDescriptor> Build()
    {
        var withEditions = new FileDescriptorProto { Name = "new.proto", Package = "new", Syntax = "editions", Edition = Edition._2023 };
        withEditions.EnumType.Add(
            new EnumDescriptorProto { Name = "Enum", Value = { new EnumValueDescriptorProto { Name = "ZERO", Number = 0 } } });
        withEditions.MessageType.Add(Message("Message", Field("number", 1, Type.Int32)));
        var without = new FileDescriptorProto { Name = "old.proto", Package = "old", Syntax = "proto3", Dependency = { "new.proto" } };
        without.MessageType.Add(Message("Plain", Field("number", 1, Type.Int32)));
        without.MessageType.Add(Message("HoldsMessage", Field("number", 1, Type.Int32), Field("held", 2, Type.Message, ".new.Message")));
        without.MessageType.Add(Message("HoldsEnum", Field("held", 1, Type.Enum, ".new.Enum")));
        return FileDescriptor.BuildFromByteStrings([withEditions.ToByteString(), without.ToByteString()]);
    }

    private static DescriptorProto Message(string name, params FieldDescriptorProto[] fields) => new() { Name = name, Field = { fields } };

    private static FieldDescriptorProto Field(string name, int number, Type type, string typeName = "")
    {
        var field = new FieldDescriptorProto { Name = name, Number = number, Type = type, Label = Label.Optional };
        if (typeName.Length > 0) field.TypeName = typeName;
        return field;
    }
}
