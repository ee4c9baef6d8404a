using System.Collections;
using System.Globalization;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Abathur.Sc2;

/// <summary>Reads the tables of <c>gamedata/</c>, which are embedded in the program, into <c>ResponseData</c>. The README there describes
/// them.</summary>
public static class GameDataTables
{
    private const string EmptyString = "\"\"";

    /// <summary>All unit types, abilities, upgrades, buffs and effects. A new message each time.</summary>
    public static ResponseData ToResponseData()
    {
        var data = new ResponseData();
        Read("abilities", data.Abilities);
        Read("units", data.Units);
        Read("upgrades", data.Upgrades);
        Read("buffs", data.Buffs);
        Read("effects", data.Effects);
        return data;
    }

    private static void Read<T>(string table, ICollection<T> messages) where T : IMessage<T>, new()
    {
        using var resource = typeof(GameDataTables).Assembly.GetManifestResourceStream($"gamedata/{table}.tsv")!;
        using var reader = new StreamReader(resource);
        FieldDescriptor[]? fields = null;
        while (reader.ReadLine() is { } line)
        {
            if (line.StartsWith('#')) continue;
            var cells = line.Split('\t');
            if (fields is null)
            {
                var type = new T().Descriptor;
                fields = [.. cells.Select(name => type.FindFieldByName(name) ?? throw new InvalidDataException(
                    $"{table}.tsv: {type.FullName} has no field {name}"))];
                continue;
            }
            var message = new T();
            for (var i = 0; i < cells.Length; i++)
                if (cells[i].Length > 0) Set(message, fields[i], cells[i]);
            messages.Add(message);
        }
    }

    private static void Set(IMessage message, FieldDescriptor field, string cell)
    {
        if (!field.IsRepeated)
        {
            field.Accessor.SetValue(message, Parse(field, cell));
            return;
        }
        var list = (IList)field.Accessor.GetValue(message);
        foreach (var item in cell.Split(field.FieldType == FieldType.Message ? "; " : ","))
            list.Add(field.FieldType == FieldType.Message ? ParseWeapon(item) : Parse(field, item));
    }

    private static object Parse(FieldDescriptor field, string text) => field.FieldType switch
    {
        FieldType.String => text == EmptyString ? "" : text,
        FieldType.Bool => text == "1",
        FieldType.Float => Float(text),
        FieldType.UInt32 => UInt(text),
        // Enum values are set as objects of the generated type.
        FieldType.Enum => Enum.ToObject(field.EnumType.ClrType, field.EnumType.FindValueByName(text).Number),
        _ => throw new InvalidDataException($"{field.FullName}: fields of type {field.FieldType} are not supported in the tables"),
    };

    // Ground 150x1 r7 s1.04 Armored+100
    private static Weapon ParseWeapon(string text)
    {
        var words = text.Split(' ');
        var hit = words[1].Split('x');
        var weapon = new Weapon
        {
            Type = Enum.Parse<Weapon.Types.TargetType>(words[0]),
            Damage = Float(hit[0]),
            Attacks = UInt(hit[1]),
            Range = Float(words[2].AsSpan(1)),
            Speed = Float(words[3].AsSpan(1)),
        };
        foreach (var word in words.Skip(4))
        {
            var bonus = word.Split('+');
            weapon.DamageBonus.Add(new DamageBonus { Attribute = Enum.Parse<SC2APIProtocol.Attribute>(bonus[0]), Bonus = Float(bonus[1]) });
        }
        return weapon;
    }

    private static float Float(ReadOnlySpan<char> text) => float.Parse(text, CultureInfo.InvariantCulture);

    private static uint UInt(string text) => uint.Parse(text, CultureInfo.InvariantCulture);
}
