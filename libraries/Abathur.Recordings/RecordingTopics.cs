using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.Recordings;

/// <summary>The channels of a recording, and the message that each one carries.</summary>
public static class RecordingTopics
{
    /// <summary><c>SC2APIProtocol.ResponseObservation</c>, as the game wrote it.</summary>
    public const string Observation = "/observation";

    /// <summary><c>abathur.sync.v1.ColumnsSegment</c>: the observations of a compact recording.</summary>
    public const string Columns = "/columns";

    /// <summary><c>SC2APIProtocol.RequestAction</c>.</summary>
    public const string Actions = "/actions";

    /// <summary><c>abathur.sync.v1.Event</c>.</summary>
    public const string Events = "/events";

    /// <summary><c>SC2APIProtocol.ResponseGameInfo</c>, once.</summary>
    public const string GameInfo = "/game_info";

    /// <summary><c>SC2APIProtocol.ResponseData</c>, once.</summary>
    public const string GameData = "/game_data";

    /// <summary><c>abathur.sync.v1.Drawings</c>: all drawings of agents, written before an observation if they have changed.</summary>
    public const string Drawings = "/drawings";

    /// <summary><c>abathur.sync.v1.Plots</c>: the points of agents' series since the last message, written before an observation.</summary>
    public const string Plots = "/plots";

    /// <summary>Schema encoding and message encoding of all of them.</summary>
    internal const string Protobuf = "protobuf";

    // Descriptors are made when they are asked for: those of the game take a tenth of the time in which the daemon starts.
    private static readonly Dictionary<string, Func<MessageDescriptor>> Messages = new()
    {
        [Observation] = () => SC2APIProtocol.ResponseObservation.Descriptor,
        [Columns] = () => Sync.V1.ColumnsSegment.Descriptor,
        [Actions] = () => SC2APIProtocol.RequestAction.Descriptor,
        [Events] = () => Sync.V1.Event.Descriptor,
        [GameInfo] = () => SC2APIProtocol.ResponseGameInfo.Descriptor,
        [GameData] = () => SC2APIProtocol.ResponseData.Descriptor,
        [Drawings] = () => Sync.V1.Drawings.Descriptor,
        [Plots] = () => Sync.V1.Plots.Descriptor,
    };

    /// <summary>All topics, in the order of their channel ids.</summary>
    public static IReadOnlyCollection<string> All => Messages.Keys;

    /// <summary>The message type of a topic.</summary>
    /// <exception cref="KeyNotFoundException">There is no such topic.</exception>
    public static MessageDescriptor MessageOf(string topic) => Messages[topic]();

    /// <summary>The message type with this full name; null if none of the topics has it.</summary>
    public static MessageDescriptor? FindMessage(string fullName) =>
        Messages.Values.Select(message => message()).FirstOrDefault(message => message.FullName == fullName);

    /// <summary>A <c>FileDescriptorSet</c> of the file that defines a message and of all its imports, imports first.</summary>
    internal static byte[] DescriptorSet(MessageDescriptor message)
    {
        var set = new FileDescriptorSet();
        var seen = new HashSet<string>();
        Add(message.File);
        return set.ToByteArray();

        void Add(FileDescriptor file)
        {
            if (!seen.Add(file.Name)) return;
            foreach (var import in file.Dependencies) Add(import);
            set.File.Add(file.ToProto());
        }
    }
}
