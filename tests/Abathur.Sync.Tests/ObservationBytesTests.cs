using SC2APIProtocol;

namespace Abathur.Sync.Tests;

public class ObservationBytesTests
{
    [SharedFact("observations")]
    public void RealObservation_ParsedAndWrittenByGoogleProtobuf_GivesTheSameBytes()
    {
        foreach (var file in Directory.EnumerateFiles(SharedData.PathTo("observations"), "observation.binpb", SearchOption.AllDirectories))
        {
            var bytes = File.ReadAllBytes(file);
            Assert.Equal(bytes, Google.Protobuf.MessageExtensions.ToByteArray(ResponseObservation.Parser.ParseFrom(bytes)));
        }
    }
}
