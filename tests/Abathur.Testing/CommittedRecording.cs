using Abathur.Mcap;

namespace Abathur.Testing;

/// <summary>The generated match that is committed, <c>recordings/skirmish.mcap</c>.</summary>
public static class CommittedRecording
{
    public static string Path { get; } = System.IO.Path.Combine(SharedData.RepositoryFolder, "recordings", "skirmish.mcap");

    /// <summary>Its observations in order: serialized <c>SC2APIProtocol.ResponseObservation</c>.</summary>
    public static IEnumerable<byte[]> Observations()
    {
        using var reader = McapReader.Open(Path);
        using var messages = reader.ReadMessages();
        while (messages.MoveNext())
        {
            if (reader.Channels[messages.Current.ChannelId].Topic == "/observation") yield return messages.Current.Data.ToArray();
        }
    }
}
