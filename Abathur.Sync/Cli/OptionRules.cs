using System.CommandLine;

namespace Abathur.Sync.Cli;

/// <summary>Validation of option values.</summary>
internal static class OptionRules
{
    /// <summary>Adds a rule. A value that breaks it is refused with this message; a value that cannot be parsed, with the message of the
    /// parser.</summary>
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
