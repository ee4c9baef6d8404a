namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Anything that stands in an MCAP file: opcode (1 byte), content length (8 bytes, little-endian), content.</summary>
public interface IMcapRecord
{
    McapOpcode Opcode { get; }
}
