using Abathur.Sc2.Api;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sc2.Tests.Api;

public class ResponseEnvelopeTests
{
    private static readonly Status[] Statuses = Enum.GetValues<Status>();

    [Fact]
    public void Write_AnyAnswerInAnyParts_IsWhatGoogleReadsAndWrites()
    {
        var envelope = new ResponseEnvelope();
        Prop.ForAll<byte[], uint, int>((data, id, cut) =>
        {
            var answer = new ResponseSaveReplay { Data = ByteString.CopyFrom(data) };
            ReadOnlyMemory<byte> bytes = answer.ToByteArray();
            var at = (int)((uint)cut % (bytes.Length + 1));
            var status = Statuses[(uint)cut % Statuses.Length];
            var expected = new Response { SaveReplay = answer, Status = status };
            uint? number = cut % 3 == 0 ? null : id;
            if (number is { } known) expected.Id = known;
            var written = envelope.Write(number, status, Response.SaveReplayFieldNumber, bytes[..at], default, bytes[at..]);
            return written.Span.SequenceEqual(expected.ToByteArray());
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void WriteError_AnyText_IsWhatGoogleReads()
    {
        var envelope = new ResponseEnvelope();
        Prop.ForAll<NonNull<string>, uint>((text, id) =>
        {
            // Half a surrogate pair is no text.
            var said = new string([.. text.Get.Where(letter => !char.IsSurrogate(letter))]);
            var response = Response.Parser.ParseFrom(envelope.WriteError(id, Status.InGame, said).Span);
            return response.Error.SequenceEqual([said])
                && response.Id == id
                && response.Status == Status.InGame
                && response.ResponseCase == Response.ResponseOneofCase.None;
        }).QuickCheckThrowOnFailure();
    }
}
