using System.Buffers;
using Abathur.Columns;
using Abathur.Compression;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;
using Abathur.Sync.Hub;
using Google.Protobuf;
using SC2APIProtocol;
using Encoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Benchmarks.Codecs;

/// <summary>
/// Codecs <c>columns</c>, <c>zstd-stream</c>, <c>br-stream</c> and their combinations: the daemon's encoder of such a stream, and a reader
/// that has each of its payloads since the last keyframe.
/// </summary>
internal sealed class StreamCodec : ICodec, IDisposable
{
    /// <summary>Frames from one keyframe to the next: 10 s of a match.</summary>
    public const int KeyframeInterval = 224;

    private static readonly ProtoJsonOptions JsonOptions = new();
    // Tags differ in a real match, but need not.
    private static readonly Comparer<Unit> ByTag = Comparer<Unit>.Create((one, other) => one.Tag != other.Tag
        ? one.Tag.CompareTo(other.Tag)
        : one.ToByteArray().AsSpan().SequenceCompareTo(other.ToByteArray()));
    private readonly PayloadFormat _format;
    private readonly int _level;
    private readonly IStreamDecompressor? _decompressor;
    private readonly ColumnsDecoder? _columns;
    private readonly ProtoJsonTranscoder? _json;
    private readonly ArrayBufferWriter<byte> _payload = new();
    private readonly ArrayBufferWriter<byte> _plain = new();
    private readonly ArrayBufferWriter<byte> _observation = new();
    private IFrameEncoder _encoder;
    private int _sinceKeyframe;

    /// <param name="format">What the stream sends: uncompressed, or with the compression of streams.</param>
    /// <exception cref="CompressionException">The system lacks the library for it.</exception>
    public StreamCodec(PayloadFormat format)
    {
        _format = format;
        _level = format.Compression.Kind()?.DefaultLevel ?? 0;
        _encoder = CreateEncoder();
        _decompressor = format.Compression.StreamKind()?.CreateDecompressor();
        if (format.Encoding == Encoding.Columns) _columns = new ColumnsDecoder();
        if (format.Encoding == Encoding.Json) _json = ProtoJsonTranscoder.Create(ResponseObservation.Descriptor, JsonOptions);
    }

    public string Label =>
        $"Abathur.Sync {_format}{(_level == 0 ? "" : $" level {_level}")}";

    public IReadOnlyList<string> Footnotes =>
    [
        "Encodes protobuf bytes, with the daemon's own encoder. Frames are encoded and decoded in order, because a payload depends on "
            + $"those since the last keyframe; every {KeyframeInterval} frames (10 s) there is one.",
        _columns is not null
            ? "Decodes to arrays of the columns of all units. What is touched are the fields of a message parsed from the observation that "
                + "is written from them; both are part of decode and touch."
            : _json is not null
                ? "Decodes to protobuf bytes. What is touched are the fields of a message parsed from them."
                : "Decodes to a message of Google.Protobuf.",
        "Decode and touch is the decoding of a frame with the touch of its result: a stream is decoded once.",
        .. _columns is null
            ? Array.Empty<string>()
            : ["Units come back in another order; they are compared and touched in the order of their tags."],
    ];

    public bool IsStream => true;

    /// <summary>Whether the frame that is decoded next is a keyframe: what <see cref="Encode"/> found of the last one.</summary>
    public bool IsKeyframe { get; set; }

    public void Restart()
    {
        (_encoder as IDisposable)?.Dispose();
        _encoder = CreateEncoder();
        _sinceKeyframe = 0;
    }

    public object Prepare(byte[] observation) => observation;

    public ReadOnlyMemory<byte> Encode(object source)
    {
        _payload.ResetWrittenCount();
        IsKeyframe = _encoder.Encode((byte[])source, _sinceKeyframe == 0, _payload).IsKeyframe;
        _sinceKeyframe = (_sinceKeyframe + 1) % KeyframeInterval;
        return _payload.WrittenMemory;
    }

    public object Decode(ReadOnlyMemory<byte> encoded)
    {
        var plain = encoded;
        if (_decompressor is not null)
        {
            if (IsKeyframe) _decompressor.Restart();
            _plain.ResetWrittenCount();
            _decompressor.Decompress(encoded.Span, _plain, int.MaxValue);
            plain = _plain.WrittenMemory;
        }
        if (_columns is not null)
        {
            _columns.Decode(plain.Span);
            return _columns;
        }
        if (_json is null) return ResponseObservation.Parser.ParseFrom(plain.Span);
        _observation.ResetWrittenCount();
        _json.ToProto(plain.Span, _observation);
        return _observation;
    }

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ToObservation(decoded).Touch(ref sum);
        return sum.Value;
    }

    public ResponseObservation ToObservation(object decoded)
    {
        if (decoded is ResponseObservation message) return message;
        if (decoded is ColumnsDecoder columns)
        {
            _observation.ResetWrittenCount();
            columns.WriteObservation(_observation);
        }
        return Expected(ResponseObservation.Parser.ParseFrom(_observation.WrittenSpan));
    }

    public ResponseObservation Expected(ResponseObservation original)
    {
        if (_columns is null || original.Observation?.RawData is not { } raw) return original;
        var ordered = raw.Units.Order(ByTag).ToArray();
        raw.Units.Clear();
        raw.Units.AddRange(ordered);
        return original;
    }

    public void Dispose()
    {
        (_encoder as IDisposable)?.Dispose();
        _decompressor?.Dispose();
    }

    private IFrameEncoder CreateEncoder() =>
        new StreamKey(_format, _level, "", 1).CreateEncoder() ?? throw new ArgumentException($"{_format} has no encoder");
}
