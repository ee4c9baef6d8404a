using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sc2.Tests;

public class ObservationWireTests
{
    [SharedFact("observations")]
    public void ReadGameLoop_RealObservations_IsWhatParsingGives()
    {
        foreach (var file in Directory.EnumerateFiles(SharedData.PathTo("observations"), "observation.binpb", SearchOption.AllDirectories))
        {
            var bytes = File.ReadAllBytes(file);
            Assert.Equal(ResponseObservation.Parser.ParseFrom(bytes).Observation.GameLoop, ObservationWire.ReadGameLoop(bytes));
        }
    }

    [Fact]
    public void ReadGameLoop_OtherFieldsBeforeAndAfter_FindsIt()
    {
        var message = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = uint.MaxValue,
                PlayerCommon = new PlayerCommon { Minerals = 50 },
                Score = new Score(),
            },
            Actions = { new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = "gg" } } },
            Chat = { new ChatReceived { Message = "hf" } },
        };
        Assert.Equal(uint.MaxValue, ObservationWire.ReadGameLoop(message.ToByteArray()));
    }

    [Fact]
    public void ReadGameLoop_Absent_IsZero()
    {
        Assert.Equal(0u, ObservationWire.ReadGameLoop([]));
        Assert.Equal(0u, ObservationWire.ReadGameLoop(new ResponseObservation { Observation = new Observation() }.ToByteArray()));
    }

    [Fact]
    public void ReadGameLoop_SeveralValues_TheLastCounts()
    {
        var first = new ResponseObservation { Observation = new Observation { GameLoop = 7 } }.ToByteArray();
        var second = new ResponseObservation { Observation = new Observation { GameLoop = 9 } }.ToByteArray();
        var without =
            new ResponseObservation { Observation = new Observation { PlayerCommon = new PlayerCommon { Minerals = 1 } } }.ToByteArray();
        Assert.Equal(9u, ObservationWire.ReadGameLoop([.. first, .. second, .. without]));
        // Twice inside one observation.
        Assert.Equal(9u, ObservationWire.ReadGameLoop([0x1A, 4, 0x48, 7, 0x48, 9]));
    }

    [Fact]
    public void ReadGameLoop_UnknownFieldsOfEveryKind_AreSkipped()
    {
        byte[] unknown =
        [
            0xA0, 0x06, 0x96, 0x01, 0xA1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xA2, 0x06, 2, 9, 9, 0xA3, 0x06, 0x08, 1, 0xA4, 0x06, 0xA5, 0x06,
            1, 2, 3, 4,
        ];
        Assert.Equal(9u, ObservationWire.ReadGameLoop([.. unknown, 0x1A, (byte)(unknown.Length + 2), .. unknown, 0x48, 9]));
    }

    [Theory]
    [InlineData("1A05480748")]
    [InlineData("1A0248")]
    [InlineData("0F")]
    [InlineData("00")]
    [InlineData("1A024889")]
    [InlineData("0C")]
    [InlineData("FFFFFFFFFFFFFFFFFFFF01")]
    public void ReadGameLoop_Malformed_ThrowsNamingTheByte(string hex)
    {
        var bytes = Convert.FromHexString(hex);
        var error = Assert.Throws<InvalidDataException>(() => ObservationWire.ReadGameLoop(bytes));
        Assert.Contains("(at byte ", error.Message, StringComparison.Ordinal);
        Assert.False(ObservationWire.TryReadGameLoop(bytes, out _));
    }

    [Fact]
    public void TryReadGameLoop_AnyBytes_NeverThrows() =>
        Prop.ForAll<byte[]>(bytes => ObservationWire.TryReadGameLoop(bytes, out _) || true).QuickCheckThrowOnFailure();

    [Fact]
    public void ReadGameLoop_AnyBytesThatParse_AgreesWithGoogleProtobuf() =>
        Prop.ForAll<byte[]>(bytes =>
        {
            ResponseObservation parsed;
            try
            {
                parsed = ResponseObservation.Parser.ParseFrom(bytes);
            }
            catch (InvalidProtocolBufferException)
            {
                return true;
            }
            try
            {
                return ObservationWire.ReadGameLoop(bytes) == (parsed.Observation?.GameLoop ?? 0);
            }
            catch (InvalidDataException e)
            {
                // Google cuts tags and lengths of more than 32 bits short; here they are refused.
                return e.Message.Contains("out of range", StringComparison.Ordinal)
                    || e.Message.Contains("longer than its message", StringComparison.Ordinal);
            }
        }).QuickCheckThrowOnFailure();
}
