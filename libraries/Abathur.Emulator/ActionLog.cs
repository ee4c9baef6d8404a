using System.Buffers;
using System.Globalization;
using System.Text;
using Abathur.Emulator.MatchData;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Recordings;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Emulator;

/// <summary>Counts the actions of clients, and writes them to a file if there is one.</summary>
/// <remarks>
/// One JSON object per line, flushed at once: <c>{"game_loop":9000,"action":{...}}</c> for each action,
/// <c>{"game_loop":9000,"debug":{...}}</c> for each debug command; the messages are ProtoJSON. An action of units has their types too, and
/// that of its target, by tag: <c>"unit_types":{"4350017539":104}</c>.
/// </remarks>
public sealed class ActionLog : IActionLog, IDisposable
{
    private static readonly ProtoJsonTranscoder Actions = ProtoJsonTranscoder.For(SC2APIProtocol.Action.Descriptor);
    private static readonly ProtoJsonTranscoder Debugs = ProtoJsonTranscoder.For(DebugCommand.Descriptor);
    private readonly FileStream? _file;
    private readonly ArrayBufferWriter<byte> _lines = new();
    private readonly ArrayBufferWriter<byte> _message = new();

    /// <param name="path">File to write; null: none.</param>
    /// <param name="overwrite">Whether an existing file is replaced.</param>
    /// <exception cref="RecordingException">The file exists and is not to be replaced, or its folder does not exist.</exception>
    /// <exception cref="IOException">The file cannot be created.</exception>
    public ActionLog(string? path, bool overwrite)
    {
        if (path is null) return;
        try
        {
            _file = new FileStream(path, overwrite ? FileMode.Create : FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0);
        }
        catch (IOException) when (!overwrite && File.Exists(path))
        {
            throw new RecordingException($"{path} exists") { Remedy = RecordingRemedy.Overwrite };
        }
        catch (DirectoryNotFoundException)
        {
            throw new RecordingException($"there is no folder {Path.GetDirectoryName(Path.GetFullPath(path))}");
        }
    }

    /// <summary>Actions so far.</summary>
    public long ActionCount { get; private set; }

    /// <summary>Why the file is incomplete; null if everything was written. The game continues.</summary>
    public string? Failure { get; private set; }

    /// <inheritdoc/>
    public void Add(uint gameLoop, RequestAction request, IReadOnlyDictionary<ulong, uint> unitTypes)
    {
        ActionCount += request.Actions.Count;
        Write(gameLoop, "action", request.Actions, Actions, action => TypesOf(action, unitTypes));
    }

    /// <inheritdoc/>
    public void Add(uint gameLoop, RequestDebug request) => Write(gameLoop, "debug", request.Debug, Debugs, static _ => "");

    /// <inheritdoc/>
    public void Dispose() => _file?.Dispose();

    private static string TypesOf(SC2APIProtocol.Action action, IReadOnlyDictionary<ulong, uint> unitTypes)
    {
        var types = CommandedUnits.TagsOf(action)
            .Distinct()
            .Where(unitTypes.ContainsKey)
            .Select(tag => string.Create(CultureInfo.InvariantCulture, $"\"{tag}\":{unitTypes[tag]}"));
        return string.Join(',', types) is { Length: > 0 } known ? $",\"unit_types\":{{{known}}}" : "";
    }

    private void Write<T>(
        uint gameLoop, string name, IEnumerable<T> messages, ProtoJsonTranscoder transcoder, Func<T, string> more) where T : IMessage
    {
        if (_file is null || Failure is not null) return;
        _lines.ResetWrittenCount();
        try
        {
            foreach (var message in messages)
            {
                _message.ResetWrittenCount();
                transcoder.ToJson(message.ToByteArray(), _message);
                Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{{\"game_loop\":{gameLoop},\"{name}\":"), _lines);
                _lines.Write(_message.WrittenSpan);
                Encoding.UTF8.GetBytes($"{more(message)}}}\n", _lines);
            }
            _file.Write(_lines.WrittenSpan);
        }
        catch (Exception e) when (e is IOException or ProtoJsonException)
        {
            Failure = e.Message;
        }
    }
}
