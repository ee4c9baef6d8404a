using System.Reflection;
using System.Reflection.Emit;

namespace Abathur.Testing;

/// <summary>Which namespaces of an assembly use which others of it: in signatures, in fields, and in the code of methods.</summary>
/// <remarks>Read from the compiled code, so that constants, which the compiler copies, do not count.</remarks>
public static class NamespaceReferences
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<short, OpCode> Codes = typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value);

    /// <summary>The references between two different namespaces, each with an example.</summary>
    public static IReadOnlyDictionary<(string From, string To), string> Of(Assembly assembly)
    {
        var found = new SortedDictionary<(string, string), string>();
        foreach (var type in assembly.GetTypes().Where(type => type.Namespace is not null))
        {
            foreach (var used in Used(type).SelectMany(Parts).Where(
                used => used.Assembly == assembly && used.Namespace is not null && used.Namespace != type.Namespace))
                found.TryAdd((type.Namespace!, used.Namespace!), $"{type.Name} uses {used.Name}");
        }
        return found;
    }

    /// <summary>The references that lie on a cycle: from each of them a way leads back.</summary>
    public static IEnumerable<string> Cycles(Assembly assembly)
    {
        var references = Of(assembly);
        var next = references.Keys.ToLookup(each => each.From, each => each.To);
        return references.Where(each => Reaches(each.Key.To, each.Key.From)).Select(
            each => $"{each.Key.From} -> {each.Key.To}: {each.Value}");

        bool Reaches(string from, string to)
        {
            var seen = new HashSet<string>();
            var open = new Stack<string>([from]);
            while (open.TryPop(out var at))
            {
                if (at == to) return true;
                if (!seen.Add(at)) continue;
                foreach (var each in next[at]) open.Push(each);
            }
            return false;
        }
    }

    private static IEnumerable<Type> Used(Type type)
    {
        if (type.BaseType is { } parent) yield return parent;
        foreach (var each in type.GetInterfaces()) yield return each;
        foreach (var field in type.GetFields(Declared)) yield return field.FieldType;
        foreach (var method in type.GetMethods(Declared).Concat<MethodBase>(type.GetConstructors(Declared)))
        {
            if (method is MethodInfo { ReturnType: var result }) yield return result;
            foreach (var parameter in method.GetParameters()) yield return parameter.ParameterType;
            if (method.GetMethodBody() is not { } body) continue;
            foreach (var local in body.LocalVariables) yield return local.LocalType;
            foreach (var each in InCode(method, body.GetILAsByteArray()!)) yield return each;
        }
    }

    private static IEnumerable<Type> InCode(MethodBase method, byte[] code)
    {
        var typeArguments = method.DeclaringType is { IsGenericType: true } type ? type.GetGenericArguments() : null;
        var methodArguments = method.IsGenericMethod ? method.GetGenericArguments() : null;
        for (var at = 0; at < code.Length;)
        {
            var value = code[at] == 0xFE ? (short)(0xFE00 | code[at + 1]) : code[at];
            var opcode = Codes[value];
            at += opcode.Size;
            if (opcode.OperandType is OperandType.InlineField
                or OperandType.InlineMethod
                or OperandType.InlineTok
                or OperandType.InlineType)
            {
                var member = method.Module.ResolveMember(BitConverter.ToInt32(code, at), typeArguments, methodArguments);
                if (member is Type used) yield return used;
                else if (member?.DeclaringType is { } owner) yield return owner;
            }
            at += opcode.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(code, at),
                _ => 4,
            };
        }
    }

    private static IEnumerable<Type> Parts(Type type)
    {
        if (type.HasElementType) return Parts(type.GetElementType()!);
        return type.IsGenericType ? type.GetGenericArguments().SelectMany(Parts).Prepend(type) : [type];
    }
}
