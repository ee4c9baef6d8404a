using Abathur.Protobuf.Wire;
using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client;

/// <summary>The fields of <c>abathur.sync.v1.Frame</c>, read in place: bytes are views of the message.</summary>
internal struct FrameMessage
{
    private readonly (int Start, int Length)[] _earlier;
    private ReadOnlyMemory<byte> _bytes;

    public FrameMessage() => _earlier = new (int, int)[PayloadDecoder.MaxEarlier];

    public ReadOnlyMemory<byte> MatchId { get; private set; }
    public ReadOnlyMemory<byte> RunId { get; private set; }
    public ulong Sequence { get; private set; }
    public uint GameLoop { get; private set; }
    public long CapturedMonotonicNs { get; private set; }
    public long CapturedUnixNs { get; private set; }
    public long PublishedMonotonicNs { get; private set; }
    public long EncodedMonotonicNs { get; private set; }
    public bool IsKeyframe { get; private set; }
    public Sync.V1.Encoding Encoding { get; private set; }
    public Sync.V1.Compression Compression { get; private set; }
    public ulong Dropped { get; private set; }
    public uint DroppedFirstGameLoop { get; private set; }
    public uint DroppedLastGameLoop { get; private set; }

    /// <summary>The observation in protobuf, or null where <see cref="Data"/> has it.</summary>
    public ReadOnlyMemory<byte>? Observation { get; private set; }
    public ReadOnlyMemory<byte> Data { get; private set; }
    public uint PlainBytes { get; private set; }
    public int EarlierCount { get; private set; }
    public ReadOnlyMemory<byte>? SkippedEvents { get; private set; }
    public bool SkippedEventsIncomplete { get; private set; }

    /// <summary>A payload of a dropped frame, the oldest first.</summary>
    public readonly ReadOnlyMemory<byte> Earlier(int index) => _bytes.Slice(_earlier[index].Start, _earlier[index].Length);

    /// <summary>Reads a message; what the last one had is discarded.</summary>
    /// <exception cref="ProtocolException">It is not a <c>Frame</c>.</exception>
    public void Read(ReadOnlyMemory<byte> bytes)
    {
        var earlier = _earlier;
        this = new FrameMessage(earlier) { _bytes = bytes };
        try
        {
            var reader = new WireReader(bytes.Span);
            while (reader.ReadTag()) ReadField(ref reader);
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"not a Frame: {e.Message}", e);
        }
    }

    private FrameMessage((int Start, int Length)[] earlier) => _earlier = earlier;

    private void ReadField(ref WireReader reader)
    {
        switch (reader.WireType)
        {
            case WireFormat.WireType.Varint:
                ReadNumber(reader.FieldNumber, reader.ReadVarint());
                break;
            case WireFormat.WireType.LengthDelimited:
                var (start, length) = reader.ReadRange().GetOffsetAndLength(_bytes.Length);
                ReadBytes(reader.FieldNumber, start, length);
                break;
            default:
                reader.SkipValue();
                break;
        }
    }

    private void ReadNumber(int field, ulong value)
    {
        switch (field)
        {
            case Frame.SequenceFieldNumber: Sequence = value; break;
            case Frame.GameLoopFieldNumber: GameLoop = (uint)value; break;
            case Frame.CapturedMonotonicNsFieldNumber: CapturedMonotonicNs = (long)value; break;
            case Frame.CapturedUnixNsFieldNumber: CapturedUnixNs = (long)value; break;
            case Frame.PublishedMonotonicNsFieldNumber: PublishedMonotonicNs = (long)value; break;
            case Frame.EncodedMonotonicNsFieldNumber: EncodedMonotonicNs = (long)value; break;
            case Frame.KeyframeFieldNumber: IsKeyframe = value != 0; break;
            case Frame.EncodingFieldNumber: Encoding = (Sync.V1.Encoding)(int)value; break;
            case Frame.CompressionFieldNumber: Compression = (Sync.V1.Compression)(int)value; break;
            case Frame.DroppedFieldNumber: Dropped = value; break;
            case Frame.DroppedFirstGameLoopFieldNumber: DroppedFirstGameLoop = (uint)value; break;
            case Frame.DroppedLastGameLoopFieldNumber: DroppedLastGameLoop = (uint)value; break;
            case Frame.PlainBytesFieldNumber: PlainBytes = (uint)value; break;
            case Frame.SkippedEventsIncompleteFieldNumber: SkippedEventsIncomplete = value != 0; break;
        }
    }

    private void ReadBytes(int field, int start, int length)
    {
        switch (field)
        {
            case Frame.RunIdFieldNumber: RunId = _bytes.Slice(start, length); break;
            case Frame.MatchIdFieldNumber: MatchId = _bytes.Slice(start, length); break;
            case Frame.ObservationFieldNumber: Observation = _bytes.Slice(start, length); break;
            case Frame.DataFieldNumber: Data = _bytes.Slice(start, length); break;
            case Frame.SkippedEventsFieldNumber: SkippedEvents = _bytes.Slice(start, length); break;
            case Frame.EarlierFieldNumber:
                if (EarlierCount == PayloadDecoder.MaxEarlier)
                {
                    throw new ProtocolException(
                        $"frame {Sequence} has the payloads of more than {PayloadDecoder.MaxEarlier} earlier frames");
                }
                _earlier[EarlierCount++] = (start, length);
                break;
        }
    }
}
