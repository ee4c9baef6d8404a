using System.Text.Json;
using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Columns.Tests;

/// <summary>Payloads that no encoder writes, of which all decoders make the same (<c>tests/columns_cases.json</c>).</summary>
public class ColumnsCasesTests
{
    public static TheoryData<string> Names => [.. Cases().Select(each => each.GetProperty("name").GetString()!)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Payload_MadeByHand_IsRefusedOrReadAsDocumented(string name)
    {
        var one = Cases().Single(each => each.GetProperty("name").GetString() == name);
        var payload = Convert.FromHexString(one.GetProperty("payload").GetString()!.Replace(" ", "", StringComparison.Ordinal));
        var decoder = new ColumnsDecoder();
        if (!one.TryGetProperty("observation", out var observation))
        {
            Assert.Throws<InvalidDataException>(() => decoder.Decode(payload));
            return;
        }
        decoder.Decode(payload);
        Assert.Equal(JsonParser.Default.Parse<ResponseObservation>(observation.GetRawText()), ColumnsStream.Read(decoder));
    }

    private static List<JsonElement> Cases()
    {
        using var file = File.OpenRead(Path.Combine(SharedData.RepositoryFolder, "tests", "columns_cases.json"));
        return JsonSerializer.Deserialize<List<JsonElement>>(file)!;
    }
}
