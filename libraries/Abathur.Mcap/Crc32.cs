using System.Buffers.Binary;

namespace Abathur.Mcap;

/// <summary>CRC-32 as in zlib (polynomial 0xEDB88320, reflected), sixteen bytes per step with tables.</summary>
internal static class Crc32
{
    private const int Slices = 16;

    // Tables[k][b]: effect of byte b when k bytes follow it.
    private static readonly uint[] Tables = MakeTables();

    /// <summary>Continues <paramref name="crc"/> (0 at the start) with <paramref name="data"/>.</summary>
    public static uint Append(uint crc, ReadOnlySpan<byte> data)
    {
        crc = ~crc;
        ReadOnlySpan<uint> tables = Tables.AsSpan(0, Slices * 256);
        while (data.Length >= Slices)
        {
            var a = BinaryPrimitives.ReadUInt32LittleEndian(data) ^ crc;
            var b = BinaryPrimitives.ReadUInt32LittleEndian(data[4..]);
            var c = BinaryPrimitives.ReadUInt32LittleEndian(data[8..]);
            var d = BinaryPrimitives.ReadUInt32LittleEndian(data[12..]);
            crc = Word(tables, 12, a) ^ Word(tables, 8, b) ^ Word(tables, 4, c) ^ Word(tables, 0, d);
            data = data[Slices..];
        }
        foreach (var value in data) crc = tables[(byte)(crc ^ value)] ^ (crc >> 8);
        return ~crc;
    }

    // The effect of four bytes that `after` bytes of the step follow.
    private static uint Word(ReadOnlySpan<uint> tables, int after, uint word) =>
        tables[((after + 3) << 8) | (byte)word]
        ^ tables[((after + 2) << 8) | (byte)(word >> 8)]
        ^ tables[((after + 1) << 8) | (byte)(word >> 16)]
        ^ tables[(after << 8) | (int)(word >> 24)];

    private static uint[] MakeTables()
    {
        const uint Polynomial = 0xEDB88320;
        var tables = new uint[Slices * 256];
        for (uint i = 0; i < 256; i++)
        {
            var crc = i;
            for (var bit = 0; bit < 8; bit++) crc = (crc & 1) != 0 ? (crc >> 1) ^ Polynomial : crc >> 1;
            tables[i] = crc;
        }
        for (var i = 256; i < tables.Length; i++)
        {
            var before = tables[i - 256];
            tables[i] = tables[(byte)before] ^ (before >> 8);
        }
        return tables;
    }
}
