using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Abathur.Testing;

/// <summary>Writes down what an assembly offers to others: each public type with its public and protected members, in a stable
/// order.</summary>
public static class PublicSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(sbyte)] = "sbyte",
        [typeof(short)] = "short",
        [typeof(ushort)] = "ushort",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(float)] = "float",
        [typeof(double)] = "double",
        [typeof(char)] = "char",
    };

    /// <summary>The text: one line for a type, one for each of its members.</summary>
    /// <param name="assembly">What is described.</param>
    /// <param name="isGenerated">Types that a generator wrote; they are named, without members.</param>
    public static string Of(Assembly assembly, Func<Type, bool>? isGenerated = null)
    {
        var text = new StringBuilder();
        foreach (var type in assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            if (isGenerated?.Invoke(type) == true)
            {
                if (!type.IsNested) text.Append("generated ").Append(type.FullName).Append('\n');
                continue;
            }
            text.Append(Describe(type)).Append('\n');
            if (typeof(Delegate).IsAssignableFrom(type)) continue;
            foreach (var member in type.GetMembers(Declared).Where(IsOffered).Select(Describe).Order(StringComparer.Ordinal))
                text.Append("    ").Append(member).Append('\n');
        }
        return text.ToString();
    }

    private static bool IsOffered(MemberInfo member) => member switch
    {
        _ when member.Name.Contains('<', StringComparison.Ordinal) || member.IsDefined(typeof(CompilerGeneratedAttribute)) => false,
        FieldInfo field => (field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly) && !field.IsSpecialName,
        ConstructorInfo constructor => constructor.IsPublic || constructor.IsFamily,
        MethodInfo method => (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly)
            && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal)),
        PropertyInfo property => property.GetAccessors().Length > 0,
        EventInfo @event => @event.AddMethod!.IsPublic,
        _ => false,
    };

    private static string Describe(Type type)
    {
        var name = Name(type, full: true);
        if (typeof(Delegate).IsAssignableFrom(type)) return $"delegate {name}: {Signature(type.GetMethod("Invoke")!)}";
        var kind = type.IsEnum ? "enum" : type.IsInterface ? "interface" : type.IsValueType ? "struct" : "class";
        var modifier = type.IsInterface || type.IsValueType
            ? ""
            : type is { IsAbstract: true, IsSealed: true }
            ? "static "
            : type.IsAbstract
            ? "abstract "
            : type.IsSealed
            ? "sealed "
            : "";
        var bases = type.IsEnum ? [] : Bases(type).Select(each => Name(each)).ToList();
        return $"{modifier}{kind} {name}{(bases.Count > 0 ? $": {string.Join(", ", bases)}" : "")}";
    }

    private static IEnumerable<Type> Bases(Type type)
    {
        if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType)) yield return parent;
        foreach (var each in type.GetInterfaces().Where(each => each.IsPublic).OrderBy(each => Name(each), StringComparer.Ordinal))
            yield return each;
    }

    private static string Describe(MemberInfo member) => member switch
    {
        FieldInfo { IsLiteral: true } field => $"const {Name(field.FieldType)} {field.Name} = {field.GetRawConstantValue()}",
        FieldInfo field =>
            $"{(field.IsStatic ? "static " : "")}{(field.IsInitOnly ? "readonly " : "")}{Name(field.FieldType)} {field.Name}",
        ConstructorInfo constructor => $"new({Parameters(constructor)})",
        MethodInfo method => $"{(method.IsStatic ? "static " : method.IsAbstract ? "abstract " : "")}{Signature(method)}",
        PropertyInfo property => Describe(property),
        EventInfo @event => $"event {Name(@event.EventHandlerType!)} {@event.Name}",
        _ => member.ToString()!,
    };

    private static string Describe(PropertyInfo property)
    {
        var setter = property.SetMethod is { IsPublic: true } set
            ? set.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) ? " init;" : " set;"
            : "";
        var getter = property.GetMethod is { IsPublic: true } ? " get;" : "";
        var isStatic = property.GetAccessors(nonPublic: true)[0].IsStatic;
        var indexes = property.GetIndexParameters();
        var name = indexes.Length > 0 ? $"this[{string.Join(", ", indexes.Select(Parameter))}]" : property.Name;
        return $"{(isStatic ? "static " : "")}{Name(property.PropertyType)} {name} {{{getter}{setter} }}";
    }

    private static string Signature(MethodInfo method)
    {
        var generic = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(each => each.Name))}>" : "";
        return $"{Name(method.ReturnType)} {method.Name}{generic}({Parameters(method)})";
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        var kind = !parameter.ParameterType.IsByRef ? "" : parameter.IsOut ? "out " : parameter.IsIn ? "in " : "ref ";
        var preset = !parameter.HasDefaultValue
            ? ""
            : $" = {parameter.RawDefaultValue ?? (parameter.ParameterType.IsValueType ? "default" : "null")}";
        return $"{kind}{Name(parameter.ParameterType)} {parameter.Name}{preset}";
    }

    private static string Name(Type type, bool full = false)
    {
        if (type.IsByRef) return Name(type.GetElementType()!);
        if (type.IsArray) return Name(type.GetElementType()!) + "[]";
        if (Nullable.GetUnderlyingType(type) is { } value) return Name(value) + "?";
        if (Keywords.TryGetValue(type, out var keyword)) return keyword;
        if (type.IsGenericParameter) return type.Name;
        var name = type.Name;
        if (type.IsGenericType)
        {
            var arguments = string.Join(", ", type.GetGenericArguments().Select(each => Name(each)));
            if (type.FullName?.StartsWith("System.ValueTuple`", StringComparison.Ordinal) == true) return $"({arguments})";
            var tick = name.IndexOf('`', StringComparison.Ordinal);
            if (tick >= 0) name = $"{name[..tick]}<{arguments}>";
        }
        if (type.IsNested) name = $"{Name(type.DeclaringType!, full)}.{name}";
        else if (full) name = $"{type.Namespace}.{name}";
        return name;
    }
}
