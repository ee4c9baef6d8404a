using Abathur.Client;
using Abathur.Sync.V1;

// A bot that publishes what it sees. Its game is a file of observations, each behind its length as a varint, as
// `abathur export MATCH.mcap -o MATCH.obs` writes them; yours is the game.
//
//     abathur serve
//     dotnet run --project examples/csharp_bot -- MATCH.obs 127.0.0.1:22401

if (args is not [var path, var address])
{
    Console.Error.WriteLine("usage: csharp_bot MATCH.obs HOST:PORT");
    return 2;
}
using var file = new BufferedStream(File.OpenRead(path), 1 << 20);
await using var game = await AbathurGame.ConnectAsync(address);
await using var publisher = await game.PublishAsync(new Match { MapName = Path.GetFileNameWithoutExtension(path), PlayerId = 1 });
while (ReadObservation(file) is { } observation)
{
    // Here a bot thinks and acts. Whatever it does, its watchers do not hold it up.
    await publisher.PublishAsync(observation);
}
Console.WriteLine($"{await publisher.FinishAsync()} observations published");
return 0;

static byte[]? ReadObservation(Stream file)
{
    var length = 0;
    for (var shift = 0; ; shift += 7)
    {
        var value = file.ReadByte();
        if (value < 0) return null;
        length |= (value & 0x7f) << shift;
        if (value < 0x80) break;
    }
    var observation = new byte[length];
    file.ReadExactly(observation);
    return observation;
}
