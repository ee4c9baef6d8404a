using System.Buffers;
using Abathur.Protobuf.Wire;
using SC2APIProtocol;
using static Google.Protobuf.WireFormat;

namespace Abathur.Sc2;

/// <summary>
/// The events of observations that a client skips: actions, action errors, chat, results, alerts and deaths. The game adds all of them to
/// the next requested observation. Not thread-safe.
/// </summary>
/// <remarks>
/// They are copied from the wire and returned as serialized fields of a <c>ResponseObservation</c>; <see cref="Merge"/> makes one message
/// of them and the observation behind them.
/// </remarks>
/// <param name="maxBytes">Maximum bytes. Events that would exceed it are dropped. Most observations have none; one with orders and deaths
/// has some hundred bytes.</param>
public sealed class SkippedEvents(int maxBytes = SkippedEvents.DefaultMaxBytes)
{
    /// <summary>1 MiB.</summary>
    public const int DefaultMaxBytes = 1024 * 1024;

    private static readonly MergedMessage Parts = new()
    {
        [ResponseObservation.ObservationFieldNumber] = new()
        {
            [Observation.RawDataFieldNumber] = new() { [ObservationRaw.EventFieldNumber] = [] },
        },
    };

    private readonly ArrayBufferWriter<byte> _response = new();
    private readonly ArrayBufferWriter<byte> _observation = new();
    private readonly ArrayBufferWriter<byte> _events = new();

    /// <summary>Whether events were dropped because there were too many.</summary>
    public bool IsIncomplete { get; private set; }

    /// <summary>Begins again, without events.</summary>
    public void Clear()
    {
        IsIncomplete = false;
        _response.ResetWrittenCount();
        _observation.ResetWrittenCount();
        _events.ResetWrittenCount();
    }

    /// <summary>Adds the events of a serialized <c>ResponseObservation</c>.</summary>
    /// <exception cref="InvalidDataException">It is not a <c>ResponseObservation</c>.</exception>
    public void Add(ReadOnlySpan<byte> responseObservation)
    {
        var reader = new WireReader(responseObservation);
        while (reader.ReadTag())
        {
            switch (reader.FieldNumber)
            {
                case ResponseObservation.ObservationFieldNumber when reader.WireType == WireType.LengthDelimited:
                    AddObservation(reader.ReadBytes());
                    break;
                case ResponseObservation.ActionsFieldNumber
                    or ResponseObservation.ActionErrorsFieldNumber
                    or ResponseObservation.ChatFieldNumber
                    or ResponseObservation.PlayerResultFieldNumber:
                    reader.SkipValue();
                    Keep(_response, responseObservation[reader.FieldStart..reader.Position]);
                    break;
                default:
                    reader.SkipValue();
                    break;
            }
        }
    }

    /// <summary>All events as serialized fields of <c>ResponseObservation</c>; empty if there are none.</summary>
    public ReadOnlyMemory<byte> ToFields()
    {
        var fields = new ArrayBufferWriter<byte>();
        fields.Write(_response.WrittenSpan);
        if (_observation.WrittenCount > 0 || _events.WrittenCount > 0)
        {
            var observation = new ArrayBufferWriter<byte>();
            if (_events.WrittenCount > 0)
                WriteField(observation, Observation.RawDataFieldNumber, Field(ObservationRaw.EventFieldNumber, _events.WrittenSpan));
            observation.Write(_observation.WrittenSpan);
            WriteField(fields, ResponseObservation.ObservationFieldNumber, observation.WrittenSpan);
        }
        var inOrder = new WireWriter(Math.Max(fields.WrittenCount, 16));
        Merge(fields.WrittenSpan, inOrder);
        return inOrder.WrittenMemory;
    }

    /// <summary>Writes one <c>ResponseObservation</c> of skipped events and what follows them.</summary>
    /// <param name="parts">Serialized fields of <c>ResponseObservation</c>: of skipped events, of an observation, of more.</param>
    /// <param name="output">Where the fields are appended, in the order of their numbers.</param>
    /// <exception cref="InvalidDataException">They are damaged.</exception>
    public static void Merge(ReadOnlySpan<byte> parts, WireWriter output) => Parts.Write(parts, output);

    private void AddObservation(ReadOnlySpan<byte> observation)
    {
        var reader = new WireReader(observation);
        while (reader.ReadTag())
        {
            switch (reader.FieldNumber)
            {
                case Observation.RawDataFieldNumber when reader.WireType == WireType.LengthDelimited:
                    AddRaw(reader.ReadBytes());
                    break;
                case Observation.AlertsFieldNumber:
                    reader.SkipValue();
                    Keep(_observation, observation[reader.FieldStart..reader.Position]);
                    break;
                default:
                    reader.SkipValue();
                    break;
            }
        }
    }

    private void AddRaw(ReadOnlySpan<byte> raw)
    {
        var reader = new WireReader(raw);
        while (reader.ReadTag())
        {
            if (reader.FieldNumber == ObservationRaw.EventFieldNumber && reader.WireType == WireType.LengthDelimited)
                Keep(_events, reader.ReadBytes());
            else reader.SkipValue();
        }
    }

    private void Keep(ArrayBufferWriter<byte> events, ReadOnlySpan<byte> fields)
    {
        var kept = _response.WrittenCount + _observation.WrittenCount + _events.WrittenCount;
        if (kept + fields.Length > maxBytes) IsIncomplete |= !fields.IsEmpty;
        else events.Write(fields);
    }

    private static ReadOnlySpan<byte> Field(int number, ReadOnlySpan<byte> bytes)
    {
        var field = new ArrayBufferWriter<byte>();
        WriteField(field, number, bytes);
        return field.WrittenSpan;
    }

    private static void WriteField(ArrayBufferWriter<byte> output, int number, ReadOnlySpan<byte> bytes)
    {
        WriteVarint(output, ((uint)number << 3) | (uint)WireType.LengthDelimited);
        WriteVarint(output, (uint)bytes.Length);
        output.Write(bytes);
    }

    private static void WriteVarint(ArrayBufferWriter<byte> output, ulong value) =>
        output.Advance(Varint.Write(output.GetSpan(Varint.MaxBytes), value));
}
