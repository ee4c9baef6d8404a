using System.CommandLine;
using System.CommandLine.Parsing;

namespace Abathur.Sync.Cli;

/// <summary>Validation of option values.</summary>
internal static class OptionRules
{
    /// <summary>Adds a rule. A value that breaks it is refused with this message; a value that cannot be parsed, with the type that it
    /// should have.</summary>
    public static void Must<T>(this Option<T> option, Func<T, bool> isRight, string message) =>
        option.Validators.Add(result =>
        {
            try
            {
                if (!isRight(result.GetValueOrDefault<T>()!)) result.AddError(message);
            }
            catch (InvalidOperationException)
            {
                result.AddError(NotOfType(result));
            }
        });

    /// <summary>Accepts these values only, suggests the nearest of them for another one, and offers them for completion.</summary>
    public static void OneOf(this Option<string> option, params string[] values) => option.OneOf(StringComparer.Ordinal, values);

    /// <summary>The same with a comparison of one's own.</summary>
    public static void OneOf(this Option<string> option, StringComparer comparer, params string[] values)
    {
        option.CompletionSources.Add(values);
        option.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && !values.Contains(token.Value, comparer))
                result.AddError($"{option.Name} must be {Join(values)}, not '{token.Value}'{Suggestions.For(token.Value, values)}.");
        });
    }

    /// <summary>The same for an argument.</summary>
    public static void OneOf(this Argument<string> argument, params string[] values)
    {
        argument.CompletionSources.Add(values);
        argument.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && !values.Contains(token.Value))
                result.AddError($"{argument.Name} must be {Join(values)}, not '{token.Value}'{Suggestions.For(token.Value, values)}.");
        });
    }

    /// <summary>The message for a value that cannot be parsed.</summary>
    public static string NotOfType(OptionResult result)
    {
        var type = Nullable.GetUnderlyingType(result.Option.ValueType) ?? result.Option.ValueType;
        var kind = type == typeof(double) ? "a number" : type == typeof(DateTimeOffset) ? "a time" : "a whole number";
        return $"{result.Option.Name} must be {kind}, not '{(result.Tokens is [.., var last] ? last.Value : "")}'.";
    }

    /// <summary>A list in a sentence: <c>a, b or c</c>.</summary>
    public static string Join(string[] values) =>
        values.Length > 1 ? $"{string.Join(", ", values[..^1])} or {values[^1]}" : string.Concat(values);
}
