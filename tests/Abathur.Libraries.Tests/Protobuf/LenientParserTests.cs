using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Protobuf.Tests;

public class LenientParserTests
{
    [Fact]
    public void Parse_StringsThatAreNotUtf8_BecomeReplacementCharacters()
    {
        var bytes = Chat("gg\xFF wp");
        Assert.Throws<InvalidProtocolBufferException>(() => ResponseObservation.Parser.ParseFrom(bytes));

        var parsed = LenientParser.Parse<ResponseObservation>(bytes);

        Assert.Equal("gg\uFFFD wp", parsed.Chat.Single().Message);
        Assert.Equal((7u, 3.5f), (parsed.Observation.GameLoop, parsed.Observation.RawData.Units.Single().Pos.X));
        Assert.Equal(parsed, LenientParser.Parse(ResponseObservation.Descriptor, bytes));
    }

    [Fact]
    public void Parse_MessageThatIsWhole_IsParsedAsAlwaysWithItsUnknownFields()
    {
        byte[] unknown = [0xF8, 0x7F, 0x05];
        byte[] bytes = [.. Chat("gg wp"), .. unknown];
        Assert.Equal(bytes, LenientParser.Parse<ResponseObservation>(bytes).ToByteArray());
    }

    [Theory]
    [InlineData("0A05")]
    [InlineData("1A03FF")]
    public void Parse_DamagedMessage_Throws(string hex)
    {
        var bytes = Convert.FromHexString(hex);
        Assert.Throws<InvalidProtocolBufferException>(() => LenientParser.Parse<ResponseObservation>(bytes));
        Assert.Throws<InvalidProtocolBufferException>(() => LenientParser.Parse<ResponseObservation>([.. Chat("gg\xFF"), .. bytes]));
    }

    /// <summary>An observation with a line of chat in Latin-1.</summary>
    private static byte[] Chat(string line)
    {
        const string Placeholder = "placeholder of chat";
        var response = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = 7,
                RawData = new ObservationRaw { Units = { new Unit { Tag = 1, Pos = new Point { X = 3.5f } } } },
            },
            Chat = { new ChatReceived { PlayerId = 2, Message = Placeholder[..line.Length] } },
        };
        var bytes = response.ToByteArray();
        var at = bytes.AsSpan().IndexOf(System.Text.Encoding.Latin1.GetBytes(Placeholder[..line.Length]));
        System.Text.Encoding.Latin1.GetBytes(line).CopyTo(bytes, at);
        return bytes;
    }
}
