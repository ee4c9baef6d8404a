using System.Buffers;
using System.CommandLine;
using System.Text.Encodings.Web;
using System.Text.Json;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Recordings;
using Abathur.Sync.Diagnostics;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Sync.Cli;

/// <summary><c>abathur-sync cat FILE</c>: one JSON object a line.</summary>
internal static class CatCommand
{
    // Stands for all fields, or all topics.
    private const string Everything = "*";

    public static Command Create()
    {
        var file = new Argument<string>("file") { Description = "The recording", HelpName = "FILE" };
        var fields = new Option<string?>("--fields")
        {
            Description = "Fields of the messages to print, e.g. observation.game_loop,observation.raw_data.units.tag; * for all",
            HelpName = "PATHS",
        };
        var topic = new Option<string?>("--topic")
        {
            Description = "Topic to print; * for all (default: all, with --fields /observation)",
            HelpName = "TOPIC",
        };
        var start = new Option<uint>("--start") { Description = "First game loop", HelpName = "LOOP" };
        var stop = new Option<uint?>("--stop")
        {
            Description = "Game loop before which to stop",
            HelpName = "LOOP",
        };
        var limit = new Option<long?>("--limit")
        {
            Description = "Most lines to print",
            HelpName = "N",
        };
        var withNames = new Option<bool>("--names")
        {
            Description = "Add the names of unit types and abilities beside their numbers: unitTypeName, abilityName",
        };
        var command = new Command(
            "cat", "Print the messages of a recording as JSON, one a line: topic, game loop, time, size, and chosen fields")
        {
            file, fields, topic, start, stop, limit, withNames,
        };
        command.SetAction((parsed, cancellationToken) => Task.Run(
            () => Run(
                parsed.GetRequiredValue(file), parsed.GetValue(fields), parsed.GetValue(topic), parsed.GetValue(start),
                parsed.GetValue(stop) ?? uint.MaxValue, parsed.GetValue(limit) ?? long.MaxValue, parsed.GetValue(withNames),
                parsed.InvocationConfiguration.Error, cancellationToken),
            CancellationToken.None));
        return command;
    }

    private static int Run(
        string file, string? fields, string? topic, uint start, uint stop, long limit, bool withNames, TextWriter report,
        CancellationToken cancellationToken)
    {
        if (withNames && fields is null)
            throw new CliException("--names needs --fields: without it, no message is printed", ExitCode.Usage);
        topic ??= fields is null ? Everything : RecordingTopics.Observation;
        using var recording = RecordingReader.Open(file, cancellationToken: cancellationToken);
        if (recording.Truncated)
            report.WriteLine($"{ProgramName.Current}: warning: {file}: {recording.Damage}; "
                + $"`{ProgramName.Current} recover` may give more");
        var topics = recording.Topics.ToArray();
        if (topic != Everything && !topics.Contains(topic))
            throw new CliException($"--topic: {file} has no topic {topic}, only {string.Join(", ", topics)}", ExitCode.Usage);
        var names = withNames ? new NamedJson(GameNames.Of(recording)) : null;
        var printers = new Dictionary<string, MessagePrinter>();
        using var output = StandardStreams.OpenOutput();
        foreach (var message in recording.ReadMessages(start))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (message.Topic == RecordingTopics.Observation && stop != uint.MaxValue && message.GameLoop >= stop) break;
            if (topic != Everything && message.Topic != topic) continue;
            if (limit-- <= 0) break;
            if (!printers.TryGetValue(message.SchemaName, out var printer))
                printers[message.SchemaName] = printer = new MessagePrinter(file, message, fields, names);
            printer.Print(message, output);
        }
        output.Flush();
        return ExitCode.Ok;
    }

    private sealed class MessagePrinter
    {
        private static readonly JsonWriterOptions WriterOptions = new()
        {
            SkipValidation = true,
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        };

        private readonly string _file;
        private readonly ArrayBufferWriter<byte> _line = new();
        private readonly MessageDescriptor? _descriptor;
        private readonly FieldSelection? _selection;
        private readonly bool _withMessage;
        private readonly NamedJson? _names;

        public MessagePrinter(string file, in RecordedMessage first, string? fields, NamedJson? names)
        {
            _names = names;
            _file = file;
            _withMessage = fields is not null;
            if (fields is null) return;
            _descriptor = RecordingTopics.FindMessage(first.SchemaName)
                ?? throw new CliException(
                    $"--fields: messages of topic {first.Topic} are \"{first.SchemaName}\", whose fields are not known here",
                    ExitCode.Usage);
            if (fields.Trim() != Everything) _selection = FieldSelection.Parse(fields, _descriptor);
        }

        public void Print(in RecordedMessage message, Stream output)
        {
            _line.ResetWrittenCount();
            using (var json = new Utf8JsonWriter(_line, WriterOptions))
            {
                json.WriteStartObject();
                json.WriteString("topic", message.Topic);
                json.WriteNumber("game_loop", message.GameLoop);
                json.WriteNumber("log_time", message.LogTimeNs);
                json.WriteNumber("size", message.Payload.Length);
                if (_withMessage)
                {
                    json.WritePropertyName("message");
                    if (_names is null) json.WriteRawValue(Format(message), skipInputValidation: true);
                    else _names.Write(Format(message), json);
                }
                json.WriteEndObject();
            }
            _line.Write("\n"u8);
            output.Write(PrintableText.EscapeJson(_line.WrittenSpan));
        }

        private byte[] Prune(FieldSelection selection, in RecordedMessage recorded)
        {
            var message = LenientParser.Parse(_descriptor!, recorded.Payload.Span);
            selection.Prune(message);
            return message.ToByteArray();
        }

        private byte[] Format(in RecordedMessage recorded)
        {
            try
            {
                var json = new ArrayBufferWriter<byte>();
                ProtoJsonTranscoder.For(_descriptor!).ToJson(
                    _selection is null ? recorded.Payload.Span : Prune(_selection, recorded), json);
                return json.WrittenSpan.ToArray();
            }
            catch (Exception e) when (e is InvalidProtocolBufferException or ProtoJsonException)
            {
                throw new CliException(
                    $"{_file}: message {recorded.Sequence} of {recorded.Topic} is not a {_descriptor!.FullName}: {e.Message}",
                    ExitCode.BadInput);
            }
        }
    }
}
