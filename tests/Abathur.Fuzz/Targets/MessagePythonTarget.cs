using Abathur.Columns.Tests;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Fuzz.Targets;

/// <summary>
/// The compiled library of the Python package beside protobuf's parser: both read the same units of a serialized observation. What the
/// library leaves to protobuf is counted.
/// </summary>
internal sealed class MessagePythonTarget(string python) : IFuzzTarget
{
    public const string TargetName = "message-python";

    private readonly PythonPeer _peer = new(TargetName, python, "message_peer.py");

    public string Name => TargetName;

    /// <summary>Keys of fields and groups, and varints of more bytes than they need.</summary>
    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        [0x1A], [0x2A], [0x12], [0x12, 0x00], [0x3A], [0x08], [0x18], [0x20], [0xB2, 0x01], [0xDA, 0x01], [0xB0, 0x01], [0xD8, 0x01],
        [0xA3, 0x06], [0xA4, 0x06], [0x0B], [0x0C], [0x00], [0x80, 0x00], [0x18, 0x07], [0xC2, 0x3E, 0x02, 0x08, 0x01],
        [0x00, 0x00, 0xC0, 0x7F], [0x80, 0x80, 0x80, 0x80, 0x00], [0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
        [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x80, 0x80, 0x80, 0x80, 0x10], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
    ];

    public int MaxBytes => 20_000;

    /// <summary>Whole observations, and ones with a few units alone: of few bytes, more mutations leave a message.</summary>
    public IEnumerable<byte[]> Seeds(Random random)
    {
        var fuzz = new ObservationFuzz(random.Next());
        for (var i = 0; i < 60; i++)
        {
            var observation = fuzz.Next();
            if (observation.Length <= MaxBytes) yield return observation;
            var units = ResponseObservation.Parser.ParseFrom(observation).Observation?.RawData?.Units ?? [];
            for (var few = 1; few <= 3 && few <= units.Count; few++)
            {
                var raw = new ObservationRaw();
                raw.Units.AddRange(units.Skip(random.Next(units.Count)).Take(few));
                yield return new ResponseObservation { Observation = new Observation { RawData = raw } }.ToByteArray();
            }
        }
    }

    public int Run(byte[] input)
    {
        var kind = _peer.Take(input, out var shape, out _);
        return HashCode.Combine(kind, shape);
    }

    public void Dispose() => _peer.Dispose();
}
