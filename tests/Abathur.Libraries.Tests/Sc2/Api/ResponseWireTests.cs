using Abathur.Sc2.Api;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;
using Status = SC2APIProtocol.Status;

namespace Abathur.Sc2.Tests.Api;

public class ResponseWireTests
{
    [Fact]
    public void Read_Response_SaysWhatStandsOnTop()
    {
        var response = new Response
        {
            Observation = new ResponseObservation { Observation = new Observation { GameLoop = 7 } },
            Id = 4_000_000_000,
            Status = Status.InGame,
            Error = { "late" },
        };
        byte[] bytes = [.. response.ToByteArray(), 0xfa, 0x3f, 1, 0];
        var wire = ResponseWire.Read(bytes);
        Assert.Equal(
            (Response.ObservationFieldNumber, 4_000_000_000u, Status.InGame, true),
            (wire.Kind, wire.Id!.Value, wire.Status!.Value, wire.HasError));
        Assert.Equal(response.Observation.ToByteArray(), bytes[wire.Body]);
    }

    [Fact]
    public void Read_Request_SaysItsKindAndId()
    {
        var wire = ResponseWire.Read(new Request { Step = new RequestStep { Count = 8 }, Id = 3 }.ToByteArray());
        Assert.Equal((Request.StepFieldNumber, 3u, null, false), (wire.Kind, wire.Id!.Value, wire.Status, wire.HasError));
    }

    [Fact]
    public void Read_Nothing_HasNothing() => Assert.Equal(default, ResponseWire.Read([]));

    [Fact]
    public void Read_StatusOfALaterGame_IsKeptAsItIs() => Assert.Equal((Status)42, ResponseWire.Read([0x98, 0x06, 42]).Status);

    [Fact]
    public void Read_AnyBytes_ReadsOrThrowsInvalidData() =>
        Prop.ForAll(Arb.From(Gen.ListOf(Gen.Choose(0, 255))), bytes =>
        {
            var message = bytes.Select(each => (byte)each).ToArray();
            try
            {
                var wire = ResponseWire.Read(message);
                Assert.InRange(wire.Body.End.Value, 0, message.Length);
            }
            catch (InvalidDataException)
            {
                // So it is told.
            }
        }).QuickCheckThrowOnFailure();
}
