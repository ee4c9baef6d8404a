using Abathur.Examples;

// A bot that publishes what it sees. Its game is a file of observations, each behind its length as a varint, as
// `abathur export MATCH.mcap -o MATCH.obs` writes them; yours is the game.
//
//     abathur serve
//     dotnet run --project examples/csharp_bot -- MATCH.obs 127.0.0.1 22401

if (args is not [var path, var host, var portText] || !int.TryParse(portText, out var port))
{
    Console.Error.WriteLine("usage: csharp_bot MATCH.obs HOST PORT");
    return 2;
}
using var game = new BufferedStream(File.OpenRead(path), 1 << 20);
using var publisher = AbathurPublisher.Connect(host, port, mapName: Path.GetFileNameWithoutExtension(path), playerId: 1);
var frames = 0;
while (ReadObservation(game) is { } observation)
{
    // Here a bot thinks and acts. Whatever it does, its watchers do not hold it up.
    publisher.Publish(observation);
    frames++;
}
publisher.Finish();
Console.WriteLine($"{frames} observations published");
return 0;

static byte[]? ReadObservation(Stream game)
{
    var length = 0;
    for (var shift = 0; ; shift += 7)
    {
        var value = game.ReadByte();
        if (value < 0) return null;
        length |= (value & 0x7f) << shift;
        if (value < 0x80) break;
    }
    var observation = new byte[length];
    game.ReadExactly(observation);
    return observation;
}
