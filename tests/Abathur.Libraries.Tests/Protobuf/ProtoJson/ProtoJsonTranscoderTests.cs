using System.Buffers;
using System.Globalization;
using System.Text;
using Abathur.Protobuf.ProtoJson;
using Abathur.Protobuf.Tests.Protos;
using global::Google.Protobuf;
using global::Google.Protobuf.Reflection;
using global::Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;
using Color = Abathur.Protobuf.Tests.Protos.Color;

namespace Abathur.Protobuf.Tests.ProtoJson;

/// <summary>What the transcoder promises by itself: errors with their place, limits, no allocation, and what it takes beyond Google's
/// parser.</summary>
public class ProtoJsonTranscoderTests
{
    private static readonly ProtoJsonTranscoder Everythings = Google.TranscoderOf(Everything.Descriptor);
    private static readonly ProtoJsonTranscoder Observations = ProtoJsonTranscoder.For(ResponseObservation.Descriptor);

    [Fact]
    public void ToJson_EveryCharacter_EscapedLikeGoogle()
    {
        for (var start = 0; start < 0x110000; start += 0x1000)
        {
            var text = new StringBuilder();
            for (var rune = start; rune < start + 0x1000; rune++)
            {
                if (Rune.IsValid(rune)) text.Append(new Rune(rune));
            }
            if (text.Length > 0)
                Transcoded.AssertLikeGoogle(
                    Everythings, Everything.Descriptor, new Everything { StringValue = text.ToString() }.ToByteArray());
        }
    }

    /// <summary>What fails of the conformance suite, and is as Google's parser and formatter do it (README of Abathur.Protobuf).</summary>
    [Fact]
    public void Transcode_WhatConformanceWouldRefuse_IsAsGoogleDoesIt()
    {
        foreach (var json in new[]
        {
            """{"int32Value":1,"int32Value":2}""", """{"int32_value":1,"int32Value":2}""",
            """{"nested":{"int32Value":1},"nested":{"stringValue":"x"}}""",
        })
            Assert.Equal(Google.ToProto(Everything.Descriptor, json), Transcoded.Proto(Everythings, json));
        foreach (var number in new[] { double.NaN, double.PositiveInfinity, double.NegativeInfinity })
            Transcoded.AssertLikeGoogle(
                ProtoJsonTranscoder.For(Value.Descriptor), Value.Descriptor, new Value { NumberValue = number }.ToByteArray());
    }

    [Theory]
    [InlineData("", 1, 1, "", "expected an object for abathur.tests.Everything, found the end")]
    [InlineData("[]", 1, 1, "", "expected an object for abathur.tests.Everything, found an array")]
    [InlineData("{} x", 1, 4, "", "expected the end, found 'x'")]
    [InlineData("{\n  \"int32Value\": 1,\n  \"nope\": 2\n}", 3, 3, "", "abathur.tests.Everything has no field \"nope\"")]
    [InlineData("{\"children\":[{},{\"nested\":{\"int32Value\":\"x\"}}]}", 1, 41, "children[1].nested.int32Value", "\"x\" is not a number")]
    [InlineData("{\"int32Value\":2147483648}", 1, 15, "int32Value", "2147483648 is out of range: -2147483648 to 2147483647")]
    [InlineData("{\"int32Value\":1.5}", 1, 15, "int32Value", "1.5 is not a whole number")]
    [InlineData("{\"uint64Value\":\"-1\"}", 1, 16, "uint64Value", "-1 is out of range: 0 to 18446744073709551615")]
    [InlineData("{\"uint32Value\":01}", 1, 17, "uint32Value", "a number does not begin with 0")]
    [InlineData("{\"floatValue\":1e39}", 1, 15, "floatValue", "the number is out of range for float")]
    [InlineData("{\"doubleValue\":1e999}", 1, 16, "doubleValue", "the number is too large")]
    [InlineData("{\"doubleValue\":NaN}", 1, 16, "doubleValue", "expected a number for double, found 'N'")]
    [InlineData("{\"boolValue\":\"true\"}", 1, 14, "boolValue", "expected true or false, found a string")]
    [InlineData("{\"color\":\"COLOR_PINK\"}", 1, 10, "color", "abathur.tests.Color has no value \"COLOR_PINK\"")]
    [InlineData("{\"bytesValue\":\"a\"}", 1, 15, "bytesValue", "the string is not base64")]
    [InlineData("{\"stringValue\":\"a\\qb\"}", 1, 18, "stringValue", "unknown escape")]
    [InlineData("{\"stringValue\":\"\\ud800\"}", 1, 17, "stringValue", "half of a surrogate pair stands alone")]
    [InlineData("{\"stringValue\":\"äö\u0001\"}", 1, 19, "stringValue", "the control character U+0001 must be escaped in a string")]
    [InlineData("{\"stringValue\":\"open", 1, 16, "stringValue", "the string that begins here does not end")]
    [InlineData("{\"choiceInt32\":1,\"choiceString\":\"x\"}", 1, 33, "choiceString", "oneof choice has more than one value")]
    [InlineData("{\"int32s\":[1,null]}", 1, 14, "int32s[1]", "an element of a repeated field cannot be null")]
    [InlineData("{\"stringsByString\":{\"a\":null}}", 1, 25, "stringsByString.a", "a value of a map cannot be null")]
    [InlineData("{\"doublesByInt32\":{\"x\":1}}", 1, 20, "doublesByInt32", "\"x\" is not a number")]
    [InlineData("{\"timestamp\":\"2026-02-30T00:00:00Z\"}", 1, 14, "timestamp", "is not a timestamp")]
    [InlineData("{\"duration\":\"1\"}", 1, 13, "duration", "is not a duration")]
    [InlineData("{\"fieldMask\":\"a_b\"}", 1, 14, "fieldMask", "is not a path of a field mask")]
    [InlineData("{\"any\":{\"x\":1}}", 1, 8, "any", "an Any needs a member \"@type\"")]
    [InlineData("{\"any\":{\"@type\":\"t/none\"}}", 1, 17, "any.@type", "the type registry has no \"none\"")]
    [InlineData("{\"int32s\":[1,]}", 1, 14, "int32s[1]", "expected a number for int32, found ']'")]
    [InlineData("{\"int32Value\":1,}", 1, 17, "", "expected a string, found '}'")]
    public void ToProto_WrongText_SaysWhereAndWhat(string json, int line, int column, string path, string problem)
    {
        var error = Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(Everythings, json));
        Assert.Contains(problem, error.Message, StringComparison.Ordinal);
        Assert.Equal((line, column, path), (error.Line, error.Column, error.Path));
    }

    [Fact]
    public void ToProto_InvalidUtf8_Refused()
    {
        byte[] json = [.. "{\"stringValue\":\"a"u8, 0xC3, 0x28, .. "\"}"u8];
        var error = Assert.Throws<ProtoJsonException>(() => Everythings.ToProto(json, new ArrayBufferWriter<byte>()));
        Assert.Equal(17, error.Position);
        Assert.Contains("not UTF-8", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{\"bytesValue\":\"-_-_\"}", "{\"bytesValue\":\"+/+/\"}")]
    [InlineData("{\"bytesValue\":\"YQ\"}", "{\"bytesValue\":\"YQ==\"}")]
    [InlineData("{\"choiceInt32\":null,\"choiceString\":\"x\"}", "{\"choiceString\":\"x\"}")]
    [InlineData("{\"choiceString\":\"x\",\"choiceInt32\":null}", "{\"choiceString\":\"x\"}")]
    [InlineData("{\"any\":{}}", "{\"any\":{}}")]
    [InlineData("{\"structure\":{\"\":1}}", "{\"structure\":{\"\":1}}")]
    [InlineData("{\"optionalInt32\":1,\"optionalInt32\":2}", "{\"optionalInt32\":2}")]
    [InlineData(
        "{\"int32_value\":1,\"a_field_with_a_name_that_is_longer_than_thirty_two_bytes\":2}",
        "{\"int32Value\":1,\"aFieldWithANameThatIsLongerThanThirtyTwoBytes\":2}")]
    public void ToProto_MoreThanGoogleTakes_MeansWhatItSays(string json, string canonical) =>
        Assert.Equal(canonical, Transcoded.Json(Everythings, Transcoded.Proto(Everythings, json)));

    [Fact]
    public void ToProto_IgnoreUnknownFields_SkipsMembersAndEnumNames()
    {
        var transcoder = ProtoJsonTranscoder.Create(Everything.Descriptor, new ProtoJsonOptions { IgnoreUnknownFields = true });
        var wire = Transcoded.Proto(
            transcoder, "{\"nope\":{\"a\":[1,\"}\",{\"b\":null}]},\"int32Value\":5,\"color\":\"COLOR_PINK\",\"also\":-1.5e3}");
        Assert.Equal(new Everything { Int32Value = 5 }, Everything.Parser.ParseFrom(wire));
        Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(transcoder, "{\"nope\":[1,}"));
        wire = Transcoded.Proto(
            transcoder,
            "{\"optionalColor\":\"X\",\"colors\":[\"X\",\"COLOR_RED\",\"X\"],\"colorsByBool\":{\"true\":\"X\",\"false\":\"COLOR_RED\"}}");
        Assert.Equal(new Everything { Colors = { Color.Red }, ColorsByBool = { [false] = Color.Red } }, Everything.Parser.ParseFrom(wire));
        Assert.Empty(Transcoded.Proto(transcoder, "{\"colors\":[\"X\"]}"));
    }

    [Fact]
    public void BothWays_DepthAtTheLimit_TakenAndOneMoreRefused()
    {
        Assert.Equal(100, DepthOf(Transcoded.Proto(Everythings, Nested(100))));
        Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(Everythings, Nested(101)));
        Assert.Equal(Nested(100), Transcoded.Json(Everythings, NestedWire(100)));
        Assert.Throws<ProtoJsonException>(() => Transcoded.Json(Everythings, NestedWire(101)));
        // Deep enough to end the process, if anything followed it without a bound.
        const int deep = 200_000;
        Assert.Throws<ProtoJsonException>(() => Transcoded.Json(Everythings, NestedWire(deep)));
        Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(Everythings, Nested(deep)));
        Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(Everythings, "{\"listValue\":" + new string('[', deep)));
        Assert.Throws<ProtoJsonException>(
            () => Transcoded.Json(Google.TranscoderOf(Everything2.Descriptor), Enumerable.Repeat((byte)0x63, deep).ToArray()));
        var lenient = ProtoJsonTranscoder.Create(Everything.Descriptor, new ProtoJsonOptions { IgnoreUnknownFields = true });
        Assert.Throws<ProtoJsonException>(
            () => Transcoded.Proto(lenient, "{\"nope\":" + string.Concat(Enumerable.Repeat("{\"a\":[", deep))));
    }

    [Fact]
    public void BothWays_SizesBeyondTheLimit_Refused()
    {
        var message = new Everything { StringValue = new string('<', 5000) };
        var input = ProtoJsonTranscoder.Create(Everything.Descriptor, new ProtoJsonOptions { MaxInputBytes = 4000 });
        Assert.Contains(
            "at most 4000", Assert.Throws<ProtoJsonException>(() => Transcoded.Json(input, message.ToByteArray())).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "at most 4000", Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(input, Google.Format(message))).Message,
            StringComparison.Ordinal);
        var output = ProtoJsonTranscoder.Create(Everything.Descriptor, new ProtoJsonOptions { MaxOutputBytes = 10_000 });
        var many = new Everything();
        for (var i = 0; i < 100; i++) many.Children.Add(message);
        Assert.Contains(
            "larger than 10000", Assert.Throws<ProtoJsonException>(() => Transcoded.Json(output, many.ToByteArray())).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "larger than 10000", Assert.Throws<ProtoJsonException>(() => Transcoded.Proto(output, Google.Format(many))).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(
            () => ProtoJsonTranscoder.Create(Everything.Descriptor, new ProtoJsonOptions { MaxDepth = 1001 }));
    }

    [Fact]
    public void BothWays_LargeMapsStringsAndBytes_LikeGoogle()
    {
        var message = new Everything
        {
            StringValue = string.Concat(Enumerable.Repeat("äß<\u2028\U0001F600x", 20_000)),
            BytesValue = ByteString.CopyFrom(new byte[200_001]),
        };
        for (var i = 0; i < 20_000; i++) message.StringsByString[i.ToString(CultureInfo.InvariantCulture)] = "v";
        for (var i = 0; i < 5_000; i++) message.Floats.Add(i / 7f);
        var wire = message.ToByteArray();
        Transcoded.AssertLikeGoogle(Everythings, Everything.Descriptor, wire);
        // Every key twice: the last value, in the place of the first.
        byte[] twice = [.. wire, .. wire];
        Assert.Equal(Google.ToJson(Everything.Descriptor, twice), Transcoded.Json(Everythings, twice));
    }

    [Fact]
    public void BothWays_ManyFramesOnceWarm_AllocateNothing()
    {
        var frames = CommittedRecording.Observations().ToList();
        var output = new ArrayBufferWriter<byte>(1 << 20);
        var texts = frames.Select(frame => Encoding.UTF8.GetBytes(Transcoded.Json(Observations, frame))).ToList();
        // The first run warms up.
        Allocated.AtMost(0, () =>
        {
            for (var i = 0; i < frames.Count; i += 5)
            {
                output.ResetWrittenCount();
                Observations.ToJson(frames[i], output);
                output.ResetWrittenCount();
                Observations.ToProto(texts[i], output);
            }
        });
    }

    [Fact]
    public void BothWays_SmallMessagesThatDifferInOneField_AreNotTakenForEachOther()
    {
        // What the transcoder remembers of a unit is found by how it begins; this one changes at its end. Only in large frames is anything
        // remembered.
        var grid = ByteString.CopyFrom(new byte[20_000]);
        for (var i = 0; i < 300; i++)
        {
            var frame = new ResponseObservation
            {
                Observation = new Observation
                {
                    RawData = new ObservationRaw { MapState = new MapState { Visibility = new ImageData { Data = grid } } },
                },
            };
            for (var unit = 0; unit < 3; unit++)
            {
                frame.Observation.RawData.Units.Add(new Unit
                {
                    DisplayType = DisplayType.Visible,
                    Alliance = Alliance.Enemy,
                    Tag = 4295229441,
                    UnitType = 104,
                    Owner = 2,
                    Pos = new Point { X = 1, Y = 2, Z = 3 },
                    Health = i % 7,
                    WeaponCooldown = i / 16f,
                    AssignedHarvesters = unit,
                });
            }
            Transcoded.AssertLikeGoogle(Observations, ResponseObservation.Descriptor, frame.ToByteArray());
        }
    }

    [Fact]
    public async Task BothWays_ManyThreads_EachGetsItsOwn()
    {
        await Task.WhenAll(Enumerable.Range(0, 8).Select(seed => Task.Run(() =>
        {
            var generator = new MessageGenerator(new Random(seed), Everything.Descriptor);
            for (var i = Runs.Of(100); i > 0; i--)
                Transcoded.AssertLikeGoogle(Everythings, Everything.Descriptor, generator.Make(Everything.Descriptor).ToByteArray());
        })));
    }

    [Fact]
    public void For_DescriptorWithoutGeneratedCode_WorksAllTheSame()
    {
        var files = new[]
        {
            Any.Descriptor.File, Duration.Descriptor.File, Empty.Descriptor.File, FieldMask.Descriptor.File, Struct.Descriptor.File,
            Timestamp.Descriptor.File, Int32Value.Descriptor.File, Everything.Descriptor.File,
        };
        var type = FileDescriptor.BuildFromByteStrings(
            files.Select(file => file.SerializedData))[^1].FindTypeByName<MessageDescriptor>("Everything");
        var transcoder = ProtoJsonTranscoder.For(type);
        for (var seed = 0; seed < 50; seed++)
        {
            var message = (Everything)new MessageGenerator(new Random(seed), Everything.Descriptor).Make(Everything.Descriptor);
            message.Any = null;
            message.ChoiceMessage = null;
            if (message.ToString().Contains("@type", StringComparison.Ordinal)) continue;
            Assert.Equal(Google.Format(message), Transcoded.Json(transcoder, message.ToByteArray()));
        }
    }

    private static string Nested(int depth) => string.Concat(Enumerable.Repeat("{\"nested\":", depth)) + "{}" + new string('}', depth);

    private static byte[] NestedWire(int depth)
    {
        // Field 17, from the inside out; lengths of up to four bytes.
        var pieces = new List<byte[]>();
        var length = 0;
        for (var i = 0; i < depth; i++)
        {
            var bytes = new byte[8];
            var coded = new CodedOutputStream(bytes);
            coded.WriteTag(17, WireFormat.WireType.LengthDelimited);
            coded.WriteLength(length);
            var written = bytes.Length - coded.SpaceLeft;
            pieces.Add(bytes[..written]);
            length += written;
        }
        pieces.Reverse();
        return [.. pieces.SelectMany(piece => piece)];
    }

    private static int DepthOf(byte[] wire)
    {
        var depth = 0;
        for (var message = Everything.Parser.ParseFrom(wire).Nested; message is not null; message = message.Nested) depth++;
        return depth;
    }
}
