using Abathur.Protobuf.Wire;
using Google.Protobuf;
using WireCompression = Abathur.Sync.V1.Compression;
using WireEncoding = Abathur.Sync.V1.Encoding;
using WireFrame = Abathur.Sync.V1.Frame;

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
    public WireEncoding Encoding { get; private set; }
    public WireCompression Compression { get; private set; }
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
            case WireFrame.SequenceFieldNumber: Sequence = value; break;
            case WireFrame.GameLoopFieldNumber: GameLoop = (uint)value; break;
            case WireFrame.CapturedMonotonicNsFieldNumber: CapturedMonotonicNs = (long)value; break;
            case WireFrame.CapturedUnixNsFieldNumber: CapturedUnixNs = (long)value; break;
            case WireFrame.PublishedMonotonicNsFieldNumber: PublishedMonotonicNs = (long)value; break;
            case WireFrame.EncodedMonotonicNsFieldNumber: EncodedMonotonicNs = (long)value; break;
            case WireFrame.KeyframeFieldNumber: IsKeyframe = value != 0; break;
            case WireFrame.EncodingFieldNumber: Encoding = (WireEncoding)(int)value; break;
            case WireFrame.CompressionFieldNumber: Compression = (WireCompression)(int)value; break;
            case WireFrame.DroppedFieldNumber: Dropped = value; break;
            case WireFrame.DroppedFirstGameLoopFieldNumber: DroppedFirstGameLoop = (uint)value; break;
            case WireFrame.DroppedLastGameLoopFieldNumber: DroppedLastGameLoop = (uint)value; break;
            case WireFrame.PlainBytesFieldNumber: PlainBytes = (uint)value; break;
            case WireFrame.SkippedEventsIncompleteFieldNumber: SkippedEventsIncomplete = value != 0; break;
        }
    }

    private void ReadBytes(int field, int start, int length)
    {
        switch (field)
        {
            case WireFrame.RunIdFieldNumber: RunId = _bytes.Slice(start, length); break;
            case WireFrame.MatchIdFieldNumber: MatchId = _bytes.Slice(start, length); break;
            case WireFrame.ObservationFieldNumber: Observation = _bytes.Slice(start, length); break;
            case WireFrame.DataFieldNumber: Data = _bytes.Slice(start, length); break;
            case WireFrame.SkippedEventsFieldNumber: SkippedEvents = _bytes.Slice(start, length); break;
            case WireFrame.EarlierFieldNumber:
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
