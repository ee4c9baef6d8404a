using System.Buffers;
using Abathur.Protobuf.Wire;
using SC2APIProtocol;
using static Google.Protobuf.WireFormat;

namespace Abathur.Emulator.MatchData;

/// <summary>
/// The events of observations that a client skips: actions, action errors, chat, alerts and deaths. The game adds all of them to the next
/// requested observation.
/// </summary>
/// <remarks>
/// They are copied from the wire and returned as serialized fields to prepend to that observation: protobuf merges the repeated fields of a
/// message that consists of parts, including its <c>observation</c>.
/// </remarks>
internal sealed class SkippedEvents
{
    /// <summary>Maximum bytes; events of later observations are dropped. Most have none; one with orders and deaths has some
    /// hundred.</summary>
    private const int MaxBytes = 1024 * 1024;

    private readonly ArrayBufferWriter<byte> _response = new();
    private readonly ArrayBufferWriter<byte> _observation = new();
    private readonly ArrayBufferWriter<byte> _events = new();

    public void Clear()
    {
        _response.ResetWrittenCount();
        _observation.ResetWrittenCount();
        _events.ResetWrittenCount();
    }

    /// <summary>Adds the events of a serialized <c>ResponseObservation</c>.</summary>
    /// <exception cref="InvalidDataException">It is not a <c>ResponseObservation</c>.</exception>
    public void Add(ReadOnlySpan<byte> responseObservation)
    {
        if (_response.WrittenCount + _observation.WrittenCount + _events.WrittenCount > MaxBytes) return;
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
                    or ResponseObservation.ChatFieldNumber:
                    reader.SkipValue();
                    _response.Write(responseObservation[reader.FieldStart..reader.Position]);
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
        if (_observation.WrittenCount == 0 && _events.WrittenCount == 0) return _response.WrittenMemory;
        var parts = new ArrayBufferWriter<byte>();
        parts.Write(_observation.WrittenSpan);
        if (_events.WrittenCount > 0)
            WriteField(parts, Observation.RawDataFieldNumber, Field(ObservationRaw.EventFieldNumber, _events.WrittenSpan));
        var fields = new ArrayBufferWriter<byte>();
        fields.Write(_response.WrittenSpan);
        WriteField(fields, ResponseObservation.ObservationFieldNumber, parts.WrittenSpan);
        return fields.WrittenMemory;
    }

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
                    _observation.Write(observation[reader.FieldStart..reader.Position]);
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
                _events.Write(reader.ReadBytes());
            else reader.SkipValue();
        }
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
