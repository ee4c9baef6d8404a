using System.Globalization;
using Abathur.Client;
using Abathur.Client.Testing;

// Prints the unit events of a recording, of one frame in so many game loops: a line for each, with its game loop.
if (args is not [var path, var everyText] || !uint.TryParse(everyText, out var every))
{
    Console.Error.WriteLine("usage: Abathur.ClientEvents RECORDING EVERY");
    return 2;
}
using var recording = Recording.Open(path);
using var output = new StreamWriter(Console.OpenStandardOutput()) { AutoFlush = false };
foreach (var frame in recording.Frames(every: every))
{
    foreach (var each in frame.Events)
    {
        var detail = each.Kind switch
        {
            UnitEventKind.UnitTookDamage => each.Amount.ToString("R", CultureInfo.InvariantCulture),
            UnitEventKind.UnitTypeChanged => $"{each.PreviousType}",
            UnitEventKind.UpgradeComplete => $"{each.UpgradeId}",
            UnitEventKind.Alert => $"{(int)each.Alert}",
            _ => "0",
        };
        output.WriteLine($"{frame.GameLoop} {each.Kind} {each.Tag} {detail}");
    }
}
return 0;
