using System.CommandLine;

namespace Abathur.Sync.Cli;

/// <summary>Rules that option values must keep to.</summary>
internal static class OptionRules
{
    /// <summary>Adds a rule; a value that breaks it is refused with the message, one that does not parse with the parser's own.</summary>
    public static void Must<T>(this Option<T> option, Func<T, bool> isRight, string message) =>
        option.Validators.Add(result =>
        {
            try
            {
                if (!isRight(result.GetValueOrDefault<T>()!)) result.AddError(message);
            }
            catch (InvalidOperationException e)
            {
                result.AddError(e.Message);
            }
        });
}
