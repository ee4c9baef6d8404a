using Abathur.Protobuf.Wire;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Client;

/// <summary>Reads what events need from serialized observations, besides the units: dead units, alerts, upgrades. Keeps its
/// memory.</summary>
internal sealed class OnceLists
{
    public List<ulong> DeadUnits { get; } = [];

    public List<uint> Alerts { get; } = [];

    public List<uint> Upgrades { get; } = [];

    /// <summary>Empties the lists.</summary>
    public void Clear()
    {
        DeadUnits.Clear();
        Alerts.Clear();
        Upgrades.Clear();
    }

    /// <summary>Adds the lists of a <c>ResponseObservation</c>.</summary>
    /// <exception cref="ProtocolException">It cannot be parsed.</exception>
    public void Add(ReadOnlySpan<byte> response)
    {
        try
        {
            var reader = new WireReader(response);
            while (Next(ref reader, out var isMessage))
            {
                if (isMessage && reader.FieldNumber == ResponseObservation.ObservationFieldNumber) AddObservation(reader.ReadBytes());
                else reader.SkipValue();
            }
        }
        catch (InvalidDataException e)
        {
            throw new ProtocolException($"the observation cannot be parsed: {e.Message}", e);
        }
    }

    private void AddObservation(ReadOnlySpan<byte> observation)
    {
        var reader = new WireReader(observation);
        while (Next(ref reader, out var isMessage))
        {
            if (reader.FieldNumber == Observation.AlertsFieldNumber) AddNumbers(ref reader, Alerts);
            else if (isMessage && reader.FieldNumber == Observation.RawDataFieldNumber) AddRaw(reader.ReadBytes());
            else reader.SkipValue();
        }
    }

    private void AddRaw(ReadOnlySpan<byte> raw)
    {
        var reader = new WireReader(raw);
        while (Next(ref reader, out var isMessage))
        {
            var field = isMessage ? reader.FieldNumber : 0;
            if (field is not (ObservationRaw.PlayerFieldNumber or ObservationRaw.EventFieldNumber))
            {
                reader.SkipValue();
                continue;
            }
            var inner = new WireReader(reader.ReadBytes());
            while (inner.ReadTag())
            {
                if (field == ObservationRaw.EventFieldNumber && inner.FieldNumber == Event.DeadUnitsFieldNumber)
                    AddTags(ref inner);
                else if (field == ObservationRaw.PlayerFieldNumber && inner.FieldNumber == PlayerRaw.UpgradeIdsFieldNumber)
                    AddNumbers(ref inner, Upgrades);
                else
                    inner.SkipValue();
            }
        }
    }

    private static bool Next(ref WireReader reader, out bool isMessage)
    {
        var isThere = reader.ReadTag();
        isMessage = isThere && reader.WireType == WireFormat.WireType.LengthDelimited;
        return isThere;
    }

    private void AddTags(ref WireReader reader)
    {
        if (reader.WireType == WireFormat.WireType.Varint)
        {
            DeadUnits.Add(reader.ReadVarint());
            return;
        }
        if (reader.WireType != WireFormat.WireType.LengthDelimited)
        {
            reader.SkipValue();
            return;
        }
        var packed = new WireReader(reader.ReadBytes());
        while (!packed.IsAtEnd) DeadUnits.Add(packed.ReadVarint());
    }

    private static void AddNumbers(ref WireReader reader, List<uint> numbers)
    {
        if (reader.WireType == WireFormat.WireType.Varint)
        {
            numbers.Add((uint)reader.ReadVarint());
            return;
        }
        if (reader.WireType != WireFormat.WireType.LengthDelimited)
        {
            reader.SkipValue();
            return;
        }
        var packed = new WireReader(reader.ReadBytes());
        while (!packed.IsAtEnd) numbers.Add((uint)packed.ReadVarint());
    }
}
