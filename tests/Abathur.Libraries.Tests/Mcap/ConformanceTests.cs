using System.Globalization;
using System.Text.Json;

namespace Abathur.Mcap.Tests;

/// <summary>The public conformance suite: every file read to the expected records, and every variant without padding written byte for
/// byte.</summary>
public class ConformanceTests
{
    [SharedFact("mcap-conformance")]
    public void McapReader_EveryConformanceFile_GivesTheExpectedRecords()
    {
        var files = Files();
        Assert.Equal(416, files.Length);
        foreach (var file in files)
        {
            using var reader = McapReader.Open(file);
            Assert.Null(reader.Damage);
            Assert.Equal(Expected(file).Select(Print), reader.ReadRecords().Select(Print));
        }
    }

    [SharedFact("mcap-conformance")]
    public void McapReader_EveryConformanceFile_CountsWhatIsThere()
    {
        foreach (var file in Files())
        {
            var expected = Expected(file);
            using var reader = McapReader.Open(file);
            using var messages = reader.ReadMessages();
            var count = 0;
            while (messages.MoveNext()) count++;
            Assert.Equal(expected.Count(record => record is McapMessage), count);
            Assert.Equal((ulong)count, reader.Statistics.MessageCount);
            Assert.Equal(expected.Where(r => r is McapChannel).Select(r => ((McapChannel)r).Id).Distinct(), reader.Channels.Keys);
        }
    }

    [SharedFact("mcap-conformance")]
    public void McapWriter_EveryVariantWithoutPadding_WritesTheSameBytes()
    {
        var files = Files().Where(file => !Features(file).Contains("pad")).ToArray();
        Assert.Equal(208, files.Length);
        foreach (var file in files)
        {
            Assert.Equal(Convert.ToHexString(File.ReadAllBytes(file)), Convert.ToHexString(Write(Expected(file), Features(file))));
        }
    }

    private static byte[] Write(List<IMcapRecord> records, HashSet<string> features)
    {
        var header = (McapHeader)records[0];
        var options = new McapWriterOptions
        {
            Profile = header.Profile,
            Library = header.Library,
            Compression = McapCompression.None,
            Chunks = features.Contains("ch"),
            MessageIndexes = features.Contains("mx"),
            ChunkIndexes = features.Contains("chx"),
            AttachmentIndexes = features.Contains("ax"),
            MetadataIndexes = features.Contains("mdx"),
            RepeatedSchemas = features.Contains("rsh"),
            RepeatedChannels = features.Contains("rch"),
            Statistics = features.Contains("st"),
            SummaryOffsets = features.Contains("sum"),
        };
        using var output = new MemoryStream();
        using (var writer = new McapWriter(output, options, leaveOpen: true))
        {
            foreach (var record in records.TakeWhile(record => record is not McapDataEnd))
            {
                switch (record)
                {
                    case McapSchema schema: writer.AddSchema(schema); break;
                    case McapChannel channel: writer.AddChannel(channel); break;
                    case McapAttachment attachment: writer.WriteAttachment(attachment); break;
                    case McapMetadata metadata: writer.WriteMetadata(metadata); break;
                    case McapMessage m: writer.WriteMessage(m.ChannelId, m.Sequence, m.LogTime, m.PublishTime, m.Data.Span); break;
                }
            }
        }
        return output.ToArray();
    }

    private static string[] Files() =>
        Directory.GetFiles(SharedData.PathTo("mcap-conformance"), "*.mcap", SearchOption.AllDirectories)
            .Order(StringComparer.Ordinal)
            .ToArray();

    private static HashSet<string> Features(string file)
    {
        using var json = JsonDocument.Parse(File.ReadAllBytes(Path.ChangeExtension(file, ".json")));
        return json.RootElement.GetProperty("meta").GetProperty("variant").GetProperty("features")
            .EnumerateArray().Select(feature => feature.GetString()!).ToHashSet();
    }

    private static List<IMcapRecord> Expected(string file)
    {
        using var json = JsonDocument.Parse(File.ReadAllBytes(Path.ChangeExtension(file, ".json")));
        return json.RootElement.GetProperty("records").EnumerateArray().Select(ToRecord).ToList();
    }

    private static IMcapRecord ToRecord(JsonElement json)
    {
        var fields = json.GetProperty("fields").EnumerateArray().ToDictionary(field => field[0].GetString()!, field => field[1]);
        string Text(string name) => fields[name].GetString()!;
        ulong Number(string name) => ulong.Parse(Text(name), CultureInfo.InvariantCulture);
        byte[] Bytes(string name) =>
            fields[name].EnumerateArray().Select(value => byte.Parse(value.GetString()!, CultureInfo.InvariantCulture)).ToArray();
        Dictionary<string, string> Map(string name) =>
            fields[name].EnumerateObject().ToDictionary(entry => entry.Name, entry => entry.Value.GetString()!);
        Dictionary<ushort, ulong> ChannelMap(string name) => fields[name].EnumerateObject().ToDictionary(
            entry => ushort.Parse(entry.Name, CultureInfo.InvariantCulture),
            entry => ulong.Parse(entry.Value.GetString()!, CultureInfo.InvariantCulture));

        return json.GetProperty("type").GetString() switch
        {
            "Header" => new McapHeader(Text("profile"), Text("library")),
            "Footer" => new McapFooter(Number("summary_start"), Number("summary_offset_start"), (uint)Number("summary_crc")),
            "Schema" => new McapSchema((ushort)Number("id"), Text("name"), Text("encoding"), Bytes("data")),
            "Channel" => new McapChannel(
                (ushort)Number("id"), (ushort)Number("schema_id"), Text("topic"), Text("message_encoding"), Map("metadata")),
            "Message" => new McapMessage(
                (ushort)Number("channel_id"), (uint)Number("sequence"), Number("log_time"), Number("publish_time"), Bytes("data")),
            "ChunkIndex" => new McapChunkIndex(
                Number("message_start_time"), Number("message_end_time"), Number("chunk_start_offset"), Number("chunk_length"),
                ChannelMap("message_index_offsets"), Number("message_index_length"), Text("compression"), Number("compressed_size"),
                Number("uncompressed_size")),
            "Attachment" => new McapAttachment(Number("log_time"), Number("create_time"), Text("name"), Text("media_type"), Bytes("data")),
            "AttachmentIndex" => new McapAttachmentIndex(
                Number("offset"), Number("length"), Number("log_time"), Number("create_time"), Number("data_size"), Text("name"),
                Text("media_type")),
            "Statistics" => new McapStatistics(
                Number("message_count"), (ushort)Number("schema_count"), (uint)Number("channel_count"), (uint)Number("attachment_count"),
                (uint)Number("metadata_count"), (uint)Number("chunk_count"), Number("message_start_time"), Number("message_end_time"),
                ChannelMap("channel_message_counts")),
            "Metadata" => new McapMetadata(Text("name"), Map("metadata")),
            "MetadataIndex" => new McapMetadataIndex(Number("offset"), Number("length"), Text("name")),
            "SummaryOffset" => new McapSummaryOffset((McapOpcode)Number("group_opcode"), Number("group_start"), Number("group_length")),
            "DataEnd" => new McapDataEnd((uint)Number("data_section_crc")),
            var type => throw new InvalidDataException($"unknown record type {type}"),
        };
    }

    // Records hold collections, which do not compare by content; as text they do.
    private static string Print(IMcapRecord record) =>
        record.Opcode + JsonSerializer.Serialize(record, record.GetType(), JsonOptions);

    private static readonly JsonSerializerOptions JsonOptions = new() { Converters = { new MemoryConverter() } };

    private sealed class MemoryConverter : System.Text.Json.Serialization.JsonConverter<ReadOnlyMemory<byte>>
    {
        public override ReadOnlyMemory<byte> Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) =>
            throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, ReadOnlyMemory<byte> value, JsonSerializerOptions options) =>
            writer.WriteStringValue(Convert.ToHexString(value.Span));
    }
}
