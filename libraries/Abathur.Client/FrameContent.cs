using System.Buffers;
using Abathur.Columns.Tables;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using SC2APIProtocol;
using WireCompression = Abathur.Sync.V1.Compression;
using WireEncoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Client;

/// <summary>The observation of a frame: columns that a decoder holds, or a serialized message.</summary>
internal sealed class FrameContent
{
    private static readonly ProtoJsonTranscoder Json = ProtoJsonTranscoder.For(ResponseObservation.Descriptor);
    private readonly PayloadDecoder? _payloads;
    private readonly UnitEventTracker? _tracker;
    private readonly ArrayBufferWriter<byte> _rebuilt = new();
    private ReadOnlyMemory<byte> _observation;
    private byte[] _skippedEvents = [];
    private bool _isRebuilt;
    private IReadOnlyList<UnitEvent> _events = [];

    /// <param name="payloads">Decoder of the subscription; null for an observation of its own.</param>
    /// <param name="tracker">Finds the events; null where there are none.</param>
    public FrameContent(PayloadDecoder? payloads, UnitEventTracker? tracker) =>
        (_payloads, _tracker, Cells) = (payloads, tracker, new UnitCells(payloads?.Columns));

    /// <summary>The cells of the units.</summary>
    public UnitCells Cells { get; }

    /// <summary>Whether the content is columns.</summary>
    public bool HasColumns { get; private set; }

    /// <summary>Whether the observation is a view of the message, whose bytes are valid until the next one is asked for.</summary>
    public bool IsView { get; private set; }

    /// <summary>A serialized <c>ResponseObservation</c> with what happened in skipped frames; null: none.</summary>
    public ReadOnlyMemory<byte>? SkippedEvents { get; private set; }

    /// <summary>The serialized observation.</summary>
    public ReadOnlyMemory<byte> ObservationBytes
    {
        get
        {
            if (!HasColumns) return _observation;
            if (!_isRebuilt)
            {
                _rebuilt.ResetWrittenCount();
                _payloads!.Columns.WriteObservation(_rebuilt);
                _isRebuilt = true;
            }
            return _rebuilt.WrittenMemory;
        }
    }

    /// <summary>The serialized observation, with columns without its units and grids.</summary>
    public ReadOnlyMemory<byte> RestBytes => HasColumns ? Blob(BlobId.Rest) : _observation;

    /// <summary>The content with one observation.</summary>
    public static FrameContent Of(ReadOnlyMemory<byte> observation)
    {
        var content = new FrameContent(null, null);
        content.SetObservation(observation);
        return content;
    }

    /// <summary>Sets a serialized observation.</summary>
    public void SetObservation(ReadOnlyMemory<byte> observation) => (_observation, HasColumns) = (observation, false);

    public void SetSkippedEvents(byte[]? events)
    {
        SkippedEvents = null;
        if (events is not null) SkippedEvents = events;
    }

    public void SetEvents(IReadOnlyList<UnitEvent> events) => _events = events;

    /// <summary>The events of the frame; the tracker begins with the first call.</summary>
    public IReadOnlyList<UnitEvent> Events(GameFrame frame) => _tracker is null ? _events : _tracker.Read(frame);

    /// <summary>The events of the frame; none if the tracker has not begun.</summary>
    public IReadOnlyList<UnitEvent> EventsIfTracked(GameFrame frame) =>
        _tracker is null ? _events : _tracker.HasBegun ? _tracker.Read(frame) : [];

    /// <summary>Finds the events of the frame if the tracker has begun.</summary>
    public void Track(GameFrame frame)
    {
        if (_tracker is { HasBegun: true }) _tracker.Read(frame);
    }

    /// <summary>Decodes the payload of the next message.</summary>
    /// <exception cref="ProtocolException">It is damaged, or does not follow the one before.</exception>
    public void Read(in FrameMessage message)
    {
        _isRebuilt = false;
        SkippedEvents = Copy(message.SkippedEvents);
        IsView = false;
        HasColumns = message.Encoding == WireEncoding.Columns;
        if (message.Observation is { } observation)
        {
            (HasColumns, IsView) = (false, true);
            _observation = observation;
        }
        else if (HasColumns)
        {
            _payloads!.ReadColumns(message);
        }
        else
        {
            _observation = _payloads!.ReadPlain(message);
            if (message.Encoding == WireEncoding.Json) _observation = FromJson(message.Sequence, _observation.Span);
            else IsView = message.Compression == WireCompression.None;
        }
    }

    /// <summary>Makes the cells those of this observation.</summary>
    public void ReadUnits()
    {
        if (HasColumns) Cells.UseDecoder();
        else Cells.Parse(_observation.Span);
    }

    /// <summary>The bytes of a grid in columns; empty if it is absent.</summary>
    public ReadOnlyMemory<byte> Blob(BlobId blob) => _payloads!.Columns.TryGetBlob(blob, out var bytes) ? bytes : default;

    private ReadOnlyMemory<byte>? Copy(ReadOnlyMemory<byte>? events)
    {
        if (events is not { } bytes) return null;
        if (_skippedEvents.Length < bytes.Length) _skippedEvents = new byte[2 * bytes.Length];
        bytes.CopyTo(_skippedEvents);
        return _skippedEvents.AsMemory(0, bytes.Length);
    }

    private ReadOnlyMemory<byte> FromJson(ulong sequence, ReadOnlySpan<byte> text)
    {
        _rebuilt.ResetWrittenCount();
        try
        {
            Json.ToProto(text, _rebuilt);
            return _rebuilt.WrittenMemory;
        }
        catch (ProtoJsonException e)
        {
            throw new ProtocolException($"frame {sequence} is not an observation in JSON: {e.Message}", e);
        }
    }
}
