using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using Abathur.Sync.Encodings.ProtoJson.Schema;

namespace Abathur.Sync.Encodings.ProtoJson.ToWire;

/// <summary>What is known of the order of an object's members while they are read.</summary>
internal struct MemberOrder(MessageTable table)
{
    private const int MostTried = 24;
    private FieldTable? _previous;
    private int _lastIndex = -1;

    /// <summary>The field that came here last time.</summary>
    public FieldTable? Guess { get; private set; } = table.FirstGuess;

    /// <summary>Whether members came in the order of their numbers so far, each once.</summary>
    public bool IsOrdered { get; private set; } = true;

    /// <summary>The oneofs that have a value.</summary>
    public ulong Oneofs { get; set; }

    /// <summary>
    /// The usual field whose name and colon a text begins with: the one expected, or else one of the next by number. Null where there is none, or where it
    /// would break the order or be a second member of its oneof.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly FieldTable? Find(Vector256<byte> text)
    {
        if (Guess is { IsUsual: true } field && (text & field.ShortNameMask) == field.ShortNameColon && field.Index > _lastIndex && (Oneofs & field.OneofBit) == 0) return field;
        return FindNext(text);
    }

    private readonly FieldTable? FindNext(Vector256<byte> text)
    {
        var fields = table.Fields;
        var end = Math.Min(fields.Length, _lastIndex + 1 + MostTried);
        for (var i = _lastIndex + 1; i < end; i++)
        {
            var field = fields[i];
            if (field.IsUsual && (text & field.ShortNameMask) == field.ShortNameColon) return (Oneofs & field.OneofBit) == 0 ? field : null;
        }
        return null;
    }

    /// <summary>Notes a member that came as expected.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(FieldTable field)
    {
        IsOrdered &= field.Index > _lastIndex;
        Oneofs |= field.OneofBit;
        _lastIndex = field.Index;
        _previous = field;
        Guess = field.Successor;
    }

    /// <summary>Notes a member whose name was read in full, and expects it here next time.</summary>
    public void Learn(FieldTable field)
    {
        if (field != Guess)
        {
            if (_previous is null) table.FirstGuess = field;
            else _previous.Successor = field;
        }
        var oneofs = Oneofs;
        Take(field);
        Oneofs = oneofs;
    }
}
