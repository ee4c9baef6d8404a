using Abathur.Protobuf.Wire;

namespace Abathur.Protobuf.Tests.Wire;

/// <summary>Parts of a message are written as one.</summary>
public class MergedMessageTests
{
    private static readonly MergedMessage Parts = new() { [3] = new() { [5] = [] } };

    [Theory]
    // Two messages of field 3, with fields between, and with each a message of field 5.
    [InlineData("1A0408012A00" + "0802" + "1A042A021001", "0802" + "1A06" + "0801" + "2A02" + "1001")]
    // In order, and once: as it is.
    [InlineData("0802" + "1A022A00" + "2001", "0802" + "1A022A00" + "2001")]
    // Of one number: first what is no message, then the message, wherever they were.
    [InlineData("1A022A00" + "1807" + "1A022A00", "1807" + "1A022A00")]
    [InlineData("1A022A00" + "1807", "1807" + "1A022A00")]
    // Repeated fields keep their order.
    [InlineData("1002" + "0801" + "1001", "0801" + "1002" + "1001")]
    public void Write_Parts_AreOneMessageInTheOrderOfFields(string parts, string expected)
    {
        var output = new WireWriter();
        Parts.Write(Convert.FromHexString(parts), output);
        Assert.Equal(expected, Convert.ToHexString(output.WrittenSpan));
        Assert.True(Parts.IsOne(output.WrittenSpan));
        Assert.Equal(parts == expected, Parts.IsOne(Convert.FromHexString(parts)));
    }

    [Fact]
    public void Write_LengthBeyondItsMessage_IsDamage() =>
        Assert.Throws<InvalidDataException>(() => Parts.Write(Convert.FromHexString("1A0328012A" + "0801"), new WireWriter()));
}
