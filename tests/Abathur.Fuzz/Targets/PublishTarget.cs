using System.IO.Pipelines;
using Abathur.Columns.Tests;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Requests;
using Abathur.Sync.Sources.Feed;
using Abathur.Sync.Sources.Push;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.V1;
using Google.Protobuf;
using SC2APIProtocol;
using Encoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Fuzz.Targets;

/// <summary>
/// What a bot publishes on the socket. The first byte of an input chooses protobuf behind its length or lines of JSON, the second the sizes
/// of
/// the pieces that it comes in.
/// </summary>
internal sealed class PublishTarget : IFuzzTarget
{
    private static readonly JsonFormatter Json = new(JsonFormatter.Settings.Default);

    public string Name => "publish";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        [0, 0, 0, 0], [2, 0, 0, 0, 0x22, 0], "\n"u8.ToArray(), "{\"end\":{}}\n"u8.ToArray(), "{\"match\":{}}\n"u8.ToArray(),
        "{\"observation\":{}}\n"u8.ToArray(),
        "\"tickHz\":1e9"u8.ToArray(), "\"gameLoop\":4294967295"u8.ToArray(), [0xFF, 0xFF, 0xFF, 0x7F],
    ];

    public int MaxBytes => 20_000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        for (var i = 0; i < 20; i++)
        {
            var fuzz = new ObservationFuzz(random.Next());
            var messages = new List<PublishRequest>
            {
                new() { Match = new Match { MapName = "Fuzz LE", TickHz = 22.4, GameInfo = new ResponseGameInfo { MapName = "Fuzz LE" } } },
            };
            for (var loop = 1u; loop < 4; loop++)
            {
                var observation = ResponseObservation.Parser.ParseFrom(fuzz.Next());
                (observation.Observation ??= new Observation()).GameLoop = loop;
                messages.Add(new PublishRequest { Observation = observation });
                messages.Add(new PublishRequest { Actions = new RequestAction() });
            }
            messages.Add(new PublishRequest { End = new() });
            var isJson = i % 2 == 1;
            var input = messages.SelectMany(message => isJson ? Line(message) : Prefixed(message.ToByteArray())).ToArray();
            if (input.Length < MaxBytes) yield return [(byte)(isJson ? 1 : 0), (byte)i, .. input];
        }
    }

    public int Run(byte[] input)
    {
        if (input.Length < 2) return 0;
        var run = new MatchRun(new HubOptions(), new MatchAbilities { Kind = SourceKind.Push }, TimeProvider.System);
        using var publication = new Publication(new MatchFeed(new OneMatch(run), null, TimeProvider.System), TimeProvider.System, _ => { });
        using var reader = run.Subscribe(new SubscriptionOptions
        {
            Policy = Policy.Every,
            Encoding = Encoding.Proto,
            BufferFrames = 1024,
            Transport = "fuzz",
            Peer = "fuzz",
        })!;
        var encoding = input[0] % 2 == 1 ? Encoding.Json : Encoding.Proto;
        var (status, why) = Pieces.Feed(input.AsSpan(2), input[1], pipe => ReadAsync(pipe, encoding, publication));
        Check.That(status is null or RequestStatus.InvalidArgument or RequestStatus.FailedPrecondition, $"refused with {status}");
        Check.That(run.Hub.Sequence == publication.Frames, $"{publication.Frames} frames were taken and {run.Hub.Sequence} published");
        var (frames, newest) = (0UL, 0u);
        while (reader.TryTake(out var frame, out _))
        {
            Check.That(frame.GameLoop >= newest, $"game loop {frame.GameLoop} after {newest}");
            newest = frame.GameLoop;
            frames++;
            frame.Release();
        }
        Check.That(frames == Math.Min(run.Hub.Sequence, 1024), $"{frames} frames of {run.Hub.Sequence} came");
        return HashCode.Combine(status, why, Check.Bucket((long)frames), publication.IsFinished, Check.Bucket(newest), encoding);
    }

    public void Dispose()
    {
    }

    private static async Task<(RequestStatus? Status, string Why)> ReadAsync(PipeReader pipe, Encoding encoding, Publication publication)
    {
        try
        {
            await new PublishInput(pipe, encoding, publication).RunAsync(CancellationToken.None);
            return (null, "");
        }
        catch (RefusedException e)
        {
            return (e.Status, string.Concat(e.Message.Where(char.IsAsciiLetter)));
        }
    }

    private static byte[] Line(IMessage message) => [.. System.Text.Encoding.UTF8.GetBytes(Json.Format(message)), (byte)'\n'];

    private static byte[] Prefixed(byte[] message) => [.. BitConverter.GetBytes(message.Length), .. message];
}
