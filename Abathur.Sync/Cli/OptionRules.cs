using System.CommandLine;
using System.CommandLine.Parsing;
using System.Numerics;

namespace Abathur.Sync.Cli;

/// <summary>Validation of option values.</summary>
internal static class OptionRules
{
    private static readonly Dictionary<Type, Func<string, string?>> Numbers = new()
    {
        [typeof(double)] = Problem<double>("a number"),
        [typeof(int)] = Problem<int>("a whole number"),
        [typeof(uint)] = Problem<uint>("a whole number, 0 or more"),
        [typeof(long)] = Problem<long>("a whole number"),
        [typeof(ulong)] = Problem<ulong>("a whole number, 0 or more"),
    };

    /// <summary>Adds the rules of all values to a command and those below it: no value is empty, and numbers are parsed by
    /// <see cref="NumberText"/>; the library takes a comma for a thousands separator.</summary>
    public static void AddToAll(Command command)
    {
        foreach (var option in command.Options.Where(option => option.ValueType != typeof(bool)))
            option.Validators.Insert(0, result => Check(result, option.Name, option.ValueType));
        foreach (var argument in command.Arguments)
            argument.Validators.Insert(0, result => Check(result, argument.HelpName ?? argument.Name, argument.ValueType));
        foreach (var each in command.Subcommands) AddToAll(each);
    }

    /// <summary>Adds a rule. A value that breaks it is refused with this message.</summary>
    public static void Must<T>(this Option<T> option, Func<T, bool> isRight, string message) =>
        option.Validators.Add(result =>
        {
            try
            {
                if (!isRight(result.GetValueOrDefault<T>()!)) result.AddError(message);
            }
            catch (InvalidOperationException)
            {
                // The value cannot be parsed, which the rules of all values have reported.
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

    /// <summary>A list in a sentence: <c>a, b or c</c>.</summary>
    public static string Join(string[] values) =>
        values.Length > 1 ? $"{string.Join(", ", values[..^1])} or {values[^1]}" : string.Concat(values);

    private static void Check(SymbolResult result, string name, Type valueType)
    {
        var problemOf = Numbers.GetValueOrDefault(Nullable.GetUnderlyingType(valueType) ?? valueType);
        foreach (var token in result.Tokens)
        {
            if (token.Value.Length == 0) result.AddError($"{name} must not be empty.");
            else if (problemOf?.Invoke(token.Value) is { } problem) result.AddError($"{name} {problem}.");
        }
    }

    private static Func<string, string?> Problem<T>(string kind)
        where T : struct, INumber<T> =>
        text => NumberText.TryParse<T>(text, out _) ? null : $"must be {kind}, not '{text}'";
}
