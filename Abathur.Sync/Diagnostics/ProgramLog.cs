using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// The loggers of this process. All write to standard error, by the framework's console logger; standard output has the results of
/// commands. The format and the level are set once, before the first message.
/// </summary>
internal static class ProgramLog
{
    /// <summary>Category of messages to the user. They are written whatever the minimum level is.</summary>
    public const string Program = ProgramName.Daemon;

    /// <summary>Category of messages about the proxy's bot, of which those for information are written, too.</summary>
    public const string Proxy = "Abathur.Sync.Proxy";

    // The agent's name follows.
    private const string AgentPrefix = Program + ".";

    private static readonly Lazy<ILoggerFactory> LazyFactory = new(Create);

    private static LogLevel _minimumLevel = LogLevel.Warning;

    /// <summary>Makes loggers for the daemon's parts and for the servers.</summary>
    public static ILoggerFactory Factory => LazyFactory.Value;

    /// <summary>Logger of messages to the user.</summary>
    public static ILogger Logger => Factory.CreateLogger(Program);

    /// <summary>Whether the messages are read by programs.</summary>
    public static bool IsJson { get; private set; }

    /// <summary>Whether the user wants no progress and no warnings.</summary>
    public static bool IsQuiet => _minimumLevel >= LogLevel.Error;

    /// <summary>Sets the format and the minimum level.</summary>
    public static void Configure(bool isJson, LogLevel minimumLevel) => (IsJson, _minimumLevel) = (isJson, minimumLevel);

    /// <summary>Logger of the output of an agent, and of what happens to it.</summary>
    public static ILogger OfAgent(string name) => Factory.CreateLogger(AgentPrefix + name);

    /// <summary>The agent whose category this is; null if it is not that of an agent.</summary>
    public static string? AgentOf(string category) =>
        category.StartsWith(AgentPrefix, StringComparison.Ordinal) ? category[AgentPrefix.Length..] : null;

    private static LoggerFactory Create()
    {
        ConsoleFormatter formatter = IsJson ? new JsonLogFormatter(TimeProvider.System) : new TextLogFormatter();
        var console = new ConsoleLoggerProvider(
            new FixedOptions(
                new ConsoleLoggerOptions { FormatterName = formatter.Name, LogToStandardErrorThreshold = LogLevel.Trace }), [formatter]);
        var filter = new LoggerFilterOptions { MinLevel = _minimumLevel };
        filter.AddFilter(Program, _minimumLevel < LogLevel.Information ? _minimumLevel : LogLevel.Information);
        filter.AddFilter(Proxy, _minimumLevel == LogLevel.Warning ? LogLevel.Information : _minimumLevel);
        // A failed start is reported once, by the code that starts the server.
        filter.AddFilter("Microsoft.Extensions.Hosting", LogLevel.None);
        // What a handler throws is reported by the code that calls it; the rest is what clients did wrong.
        filter.AddFilter("Grpc", LogLevel.None);
        // The ready line has the addresses.
        filter.AddFilter("Microsoft.Hosting.Lifetime", _minimumLevel < LogLevel.Warning ? LogLevel.Warning : _minimumLevel);
        var factory = new LoggerFactory([], filter);
        // Providers that are added, the factory disposes; those that it is made with, it does not.
        factory.AddProvider(new LimitedLoggerProvider(console, TimeProvider.System));
        // Messages are written by a thread of the console logger; this waits for it.
        AppDomain.CurrentDomain.ProcessExit += (_, _) => factory.Dispose();
        return factory;
    }

    /// <summary>Options that do not change.</summary>
    private sealed class FixedOptions(ConsoleLoggerOptions options) : IOptionsMonitor<ConsoleLoggerOptions>
    {
        public ConsoleLoggerOptions CurrentValue => options;

        public ConsoleLoggerOptions Get(string? name) => options;

        public IDisposable? OnChange(Action<ConsoleLoggerOptions, string?> listener) => null;
    }
}
