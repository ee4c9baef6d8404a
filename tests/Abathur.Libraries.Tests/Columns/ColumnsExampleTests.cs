using System.Text.RegularExpressions;
using global::Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Columns.Tests;

/// <summary>The example of <c>docs/columns.md</c>: observations as ProtoJSON, each followed by its frame as hex with comments.</summary>
public partial class ColumnsExampleTests
{
    [Fact]
    public void Example_OfTheDocumentation_IsWhatTheEncoderWritesAndTheDecoderReads()
    {
        var page = File.ReadAllText(Path.Combine(SharedData.RepositoryFolder, "docs", "columns.md"));
        var example = page[page.IndexOf("\n## Example", StringComparison.Ordinal)..];
        var observations = Blocks(example, "json").Select(JsonParser.Default.Parse<ResponseObservation>).ToArray();
        var frames = Blocks(example, "hex").Select(text => Comment().Replace(text, "")).Select(Convert.FromHexString).ToArray();
        Assert.Equal((2, 2), (observations.Length, frames.Length));
        var stream = new ColumnsStream();
        for (var i = 0; i < frames.Length; i++)
        {
            stream.Send(observations[i].ToByteArray());
            Assert.Equal(Convert.ToHexString(frames[i]), Convert.ToHexString(stream.Payload));
            Assert.Equal(i == 0, stream.WasKeyframe);
            SameObservation.Assert(observations[i].Clone(), ColumnsStream.Read(stream.Decoder));
        }
    }

    private static IEnumerable<string> Blocks(string page, string language) =>
        Regex.Matches(page, $"^```{language}\r?\n(.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)
            .Select(match => match.Groups[1].Value);

    [GeneratedRegex(@"#[^\n]*|\s+")]
    private static partial Regex Comment();
}
