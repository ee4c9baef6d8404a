namespace Abathur.Mcap.Tests;

/// <summary>Small files to test with.</summary>
internal static class McapSample
{
    /// <summary>One channel, messages numbered from 0.</summary>
    public static byte[] Write(IEnumerable<(byte[] Data, ulong LogTime, ulong PublishTime)> messages, McapWriterOptions? options = null)
    {
        using var output = new MemoryStream();
        using (var writer = new McapWriter(output, options, leaveOpen: true))
        {
            var schema = writer.AddSchema("test.Bytes", "none", new byte[] { 1, 2, 3 });
            var channel = writer.AddChannel(schema, "/test", "bytes", new Dictionary<string, string> { ["a"] = "b" });
            var sequence = 0u;
            foreach (var (data, logTime, publishTime) in messages) writer.WriteMessage(channel, sequence++, logTime, publishTime, data);
        }
        return output.ToArray();
    }
}
