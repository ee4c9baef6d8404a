namespace Abathur.Mcap.Tests;

public class Crc32Tests
{
    [Fact]
    public void Append_CheckValue_IsTheStandardOne() => Assert.Equal(0xCBF43926u, Crc32.Append(0, "123456789"u8));

    [Fact]
    public void Append_AnySplit_GivesTheSame()
    {
        var data = new byte[200];
        new Random(1).NextBytes(data);
        var whole = BitByBit(data);
        for (var split = 0; split <= data.Length; split++)
            Assert.Equal(whole, Crc32.Append(Crc32.Append(0, data.AsSpan(0, split)), data.AsSpan(split)));
    }

    private static uint BitByBit(ReadOnlySpan<byte> data)
    {
        var crc = ~0u;
        foreach (var value in data)
        {
            crc ^= value;
            for (var bit = 0; bit < 8; bit++) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xEDB88320 : crc >> 1;
        }
        return ~crc;
    }
}
