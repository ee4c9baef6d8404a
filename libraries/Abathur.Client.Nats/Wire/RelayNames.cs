namespace Abathur.Client.Nats.Wire;

/// <summary>The names of the wire contract in this library's README.</summary>
internal static class RelayNames
{
    /// <summary>The directory of matches: a key-value bucket of JetStream.</summary>
    public const string Bucket = "ABATHUR";

    /// <summary>What the streams of matches begin with.</summary>
    public const string StreamPrefix = "ABATHUR_";

    /// <summary>Prefix of the subjects at which a relay receives answers: permissions are given by it.</summary>
    public const string RelayInbox = "_INBOX.relay";

    /// <summary>Header of each request. What the server itself answers cannot have it, wherever a client lets it send the
    /// answer.</summary>
    public const string RequestHeader = "Abathur-Request";

    /// <summary>Value of <see cref="RequestHeader"/>.</summary>
    public const string RequestVersion = "1";

    /// <summary>Header of an answer that refuses a request: the name of a gRPC status.</summary>
    public const string ErrorHeader = "Abathur-Error";

    /// <summary>A reader says that it is there.</summary>
    public const string Here = "here";

    /// <summary>After so long a silence a reader counts no more.</summary>
    public static readonly TimeSpan AwayAfter = TimeSpan.FromSeconds(25);

    /// <summary>How often a reader says that it is there.</summary>
    public static readonly TimeSpan HereEach = TimeSpan.FromSeconds(10);

    /// <summary>Prefix of the subjects at which readers of a match receive answers.</summary>
    public static string ReaderInbox(string match) => $"_INBOX.abathur.{match}";

    /// <summary>The stream of a match.</summary>
    public static string Stream(string match) => StreamPrefix + match;

    /// <summary>The subject of the frames of a match, the only one of its stream.</summary>
    public static string Frames(string match) => $"abathur.{match}.frames";

    /// <summary>The subject of requests of one kind, or of all with <c>*</c>.</summary>
    public static string Watch(string match, string what) => $"abathur.{match}.watch.{what}";

    /// <summary>The subject of requests that only an actor may send.</summary>
    public static string Act(string match, string what) => $"abathur.{match}.act.{what}";

    /// <summary>The key of the constant data of a match in the bucket.</summary>
    public static string InfoKey(string match) => $"{match}.info";
}
