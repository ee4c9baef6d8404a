using System.Buffers;
using System.Text;
using Abathur.Protobuf.ProtoJson;
using Abathur.Protobuf.Tests.Protos;
using global::Google.Protobuf;
using global::Google.Protobuf.Reflection;
using global::Google.Protobuf.WellKnownTypes;
using FieldProto = global::Google.Protobuf.Reflection.FieldDescriptorProto;

namespace Abathur.Protobuf.Tests.ProtoJson;

/// <summary>Inputs and schemas made to hang the transcoder or to make it fail with another exception than its own.</summary>
public class HostileInputTests
{
    private const int Deepest = 100;
    private static readonly ProtoJsonTranscoder Everythings = Google.TranscoderOf(Everything.Descriptor);

    private static readonly ProtoJsonTranscoder Nodes = ProtoJsonTranscoder.For(NodeType());

    [Fact]
    public void ToJson_FieldsOutOfOrderOnEveryLevel_WrittenOnceEach()
    {
        // Each level has to be looked at twice; if that were to multiply, this would be 2^100 messages.
        byte[] wire = [];
        for (var i = 0; i < Deepest; i++) wire = Message(2, wire, [0x08, 1]);
        Assert.InRange(wire.Length, 1, 1 << 10);
        Assert.Equal(
            string.Concat(Enumerable.Repeat("{\"v\":1,\"n\":", Deepest)) + "{}" + new string('}', Deepest), Transcoded.Json(Nodes, wire));
    }

    [Fact]
    public void ToJson_PieceThatHasNoJsonByItself_IsMergedFirst()
    {
        // A second and minus one nanosecond is no duration; the next piece makes it one. Types that may hold an Any are written in another
        // way.
        var field = new FieldProto
        {
            Name = "d",
            Number = 1,
            Label = FieldProto.Types.Label.Optional,
            Type = FieldProto.Types.Type.Message,
            TypeName = ".google.protobuf.Duration",
        };
        var file = new FileDescriptorProto
        {
            Name = "time.proto",
            Dependency = { Duration.Descriptor.File.Name },
            MessageType = { new DescriptorProto { Name = "M", Field = { field } } },
        };
        var type = FileDescriptor.BuildFromByteStrings([Duration.Descriptor.File.SerializedData, file.ToByteString()])[1].MessageTypes[0];
        var wire = Message(
            1, new Duration { Seconds = 1, Nanos = -1 }.ToByteArray(), Message(1, new Duration { Nanos = 500_000_000 }.ToByteArray()));
        Assert.Equal("{\"d\":\"1.500s\"}", Transcoded.Json(ProtoJsonTranscoder.For(type), wire));
    }

    [Fact]
    public void ToProto_GroupsDeepInMembersOutOfOrder_TakenOrRefused()
    {
        Assert.NotNull(Transcoded.ProtoOrNull(Nodes, Groups(60)));
        Assert.Null(Transcoded.ProtoOrNull(Nodes, Groups(90)));
        Assert.NotNull(Transcoded.ProtoOrNull(Nodes, Groups(60)));
        static string Groups(int depth) =>
            string.Concat(Enumerable.Repeat("{\"g\":", depth)) + "{}" + string.Concat(Enumerable.Repeat(",\"v\":1}", depth));
    }

    [Fact]
    public void BothWays_MoreThan64Oneofs_EachWithOneValue()
    {
        var type = new DescriptorProto { Name = "Many" };
        for (var i = 0; i < 70; i++)
        {
            type.OneofDecl.Add(new OneofDescriptorProto { Name = $"o{i}" });
            type.Field.Add(Int32($"a{i}", (2 * i) + 1, oneof: i));
            type.Field.Add(Int32($"b{i}", (2 * i) + 2, oneof: i));
        }
        var transcoder = ProtoJsonTranscoder.For(Build(type));
        var all = $"{{{string.Join(",", Enumerable.Range(0, 70).Select(i => $"\"{(i % 2 == 0 ? "a" : "b")}{i}\":{i}"))}}}";
        Assert.Equal(all, Transcoded.Json(transcoder, Transcoded.Proto(transcoder, all)));
        foreach (var i in new[] { 0, 5, 63, 64, 69 })
        {
            var error = Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(transcoder, $"{{\"a{i}\":1,\"b{i}\":1}}"));
            Assert.Contains($"oneof o{i} has more than one value", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void BothWays_MoreThan64OptionalFieldsBesideAOneof_Taken()
    {
        // Each proto3 optional has a synthetic oneof, which does not count as one.
        var type = new DescriptorProto
        {
            Name = "Optionals",
            OneofDecl = { new OneofDescriptorProto { Name = "choice" } },
            Field = { Int32("x", 1, oneof: 0), Int32("y", 2, oneof: 0) },
        };
        for (var i = 0; i < 80; i++)
        {
            type.OneofDecl.Add(new OneofDescriptorProto { Name = $"_f{i}" });
            var field = Int32($"f{i}", 3 + i, oneof: i + 1);
            field.Proto3Optional = true;
            type.Field.Add(field);
        }
        var transcoder = ProtoJsonTranscoder.For(Build(type, "proto3"));
        const string json = "{\"y\":1,\"f0\":0,\"f79\":2}";
        Assert.Equal(json, Transcoded.Json(transcoder, Transcoded.Proto(transcoder, json)));
        Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(transcoder, "{\"x\":1,\"y\":1}"));
    }

    [Theory]
    [InlineData("value.string_value", "{\"value\":true}")]
    [InlineData("any.type_url", "{\"any\":{\"@type\":\"t/abathur.tests.Everything\",\"int32Value\":1}}")]
    [InlineData("timestamp.seconds", "{\"timestamp\":\"2026-01-31T12:00:00.500Z\"}")]
    [InlineData("structure.fields", "{\"structure\":{\"a\":[1]}}")]
    public void BothWays_MaskIntoATypeWithAFormOfItsOwn_KeepsItWhole(string path, string json)
    {
        var transcoder = ProtoJsonTranscoder.Create(Everything.Descriptor, [path], new ProtoJsonOptions { TypeRegistry = Google.Types });
        Assert.Equal(json, Transcoded.Json(transcoder, Transcoded.Proto(transcoder, json)));
    }

    [Fact]
    public void ToJson_StrayUtf8BytesAtTheBordersOfPieces_LikeGoogle()
    {
        for (var start = 8180; start < 8200; start++)
        {
            var text = new byte[8300];
            text.AsSpan().Fill((byte)'a');
            // One character of three bytes, then bytes that belong to none.
            new byte[] { 0xE1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 }.CopyTo(text, start);
            var expected = $"{{\"stringValue\":\"{Encoding.UTF8.GetString(text).Replace("\uFEFF", "", StringComparison.Ordinal)}\"}}";
            Assert.Equal(expected, Transcoded.Json(Everythings, Message(14, text)));
        }
    }

    [Fact]
    public void ToProto_ArraysBeyondTheLimitOnTheOutput_RefusedBeforeTheyEnd()
    {
        var transcoder = ProtoJsonTranscoder.Create(Everything.Descriptor, new ProtoJsonOptions { MaxOutputBytes = 1000 });
        foreach (var name in new[] { "fixed64s", "fixed32s" })
        {
            var error = Assert.Throws<ProtoJsonException>(
                () => Transcoded.Proto(transcoder, $"{{\"{name}\":[{string.Join(",", Enumerable.Repeat("0", 5000))}]}}"));
            Assert.Equal(ProtoJsonError.LimitExceeded, error.Error);
            Assert.InRange(error.Position, 1, 1000);
        }
    }

    [Fact]
    public void ToJson_EnumNamesOfThousandsOfLetters_TakeNoRoomThatIsNotNeeded()
    {
        var file = new FileDescriptorProto
        {
            Name = "long.proto",
            EnumType =
            {
                new EnumDescriptorProto
                {
                    Name = "E",
                    Value =
                    {
                        new EnumValueDescriptorProto { Name = "A", Number = 0 },
                        new EnumValueDescriptorProto { Name = new string('B', 50_000), Number = 1 },
                    },
                },
            },
            MessageType =
            {
                new DescriptorProto
                {
                    Name = "M",
                    Field =
                    {
                        new FieldProto
                        {
                            Name = "e", Number = 1, Label = FieldProto.Types.Label.Repeated,
                            Type = FieldProto.Types.Type.Enum, TypeName = ".E",
                        },
                    },
                },
            },
        };
        var transcoder = ProtoJsonTranscoder.For(FileDescriptor.BuildFromByteStrings([file.ToByteString()])[0].MessageTypes[0]);
        var output = new ArrayBufferWriter<byte>();
        transcoder.ToJson([.. Enumerable.Repeat(new byte[] { 0x08, 0x00 }, 400).SelectMany(each => each)], output);
        Assert.InRange(output.Capacity, 1, 1 << 20);
    }

    [Fact]
    public void ToJson_AnyOfAnUnknownTypeWithAnEndlessName_ShortError()
    {
        var any = new Any { TypeUrl = "t/" + new string('x', 100_000) };
        var error = Assert.Throws<ProtoJsonException>(() => Transcoded.Json(Everythings, new Everything { Any = any }.ToByteArray()));
        Assert.InRange(error.Message.Length, 1, 200);
    }

    private static FieldProto Int32(string name, int number, int oneof) =>
        new()
        {
            Name = name,
            Number = number,
            Label = FieldProto.Types.Label.Optional,
            Type = FieldProto.Types.Type.Int32,
            OneofIndex = oneof,
        };

    private static MessageDescriptor Build(DescriptorProto type, string syntax = "proto2") =>
        FileDescriptor.BuildFromByteStrings([
            new FileDescriptorProto { Name = "hostile.proto", Syntax = syntax, MessageType = { type } }.ToByteString(),
        ])[0].MessageTypes[0];

    // A message that holds itself as a message and as a group.
    private static MessageDescriptor NodeType() => Build(new DescriptorProto
    {
        Name = "Node",
        Field =
        {
            new FieldProto { Name = "v", Number = 1, Label = FieldProto.Types.Label.Optional, Type = FieldProto.Types.Type.Int32 },
            new FieldProto
            {
                Name = "n",
                Number = 2,
                Label = FieldProto.Types.Label.Optional,
                Type = FieldProto.Types.Type.Message,
                TypeName = ".Node",
            },
            new FieldProto
            {
                Name = "g",
                Number = 3,
                Label = FieldProto.Types.Label.Optional,
                Type = FieldProto.Types.Type.Group,
                TypeName = ".Node",
            },
        },
    });

    private static byte[] Message(int field, ReadOnlySpan<byte> content, params ReadOnlySpan<byte> after)
    {
        var bytes = new byte[content.Length + 10 + after.Length];
        var coded = new CodedOutputStream(bytes);
        coded.WriteTag(field, WireFormat.WireType.LengthDelimited);
        coded.WriteLength(content.Length);
        var head = bytes.Length - coded.SpaceLeft;
        content.CopyTo(bytes.AsSpan(head));
        after.CopyTo(bytes.AsSpan(head + content.Length));
        return bytes[..(head + content.Length + after.Length)];
    }
}
