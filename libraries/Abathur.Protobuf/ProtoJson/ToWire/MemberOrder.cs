using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.State;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>
/// The order of an object's members while they are read. As long as they come by their numbers, each once, what is written is right as it is; from
/// the first that does not on, fields are noted, and put in order at the end.
/// </summary>
internal struct MemberOrder(MessageTable table, WireScratch output)
{
    private const int MostTried = 24;
    private readonly int _start = output.Position;
    private readonly int _segmentsBefore = output.SegmentCount;
    private FieldTable? _previous;
    private bool _isDisordered;
    private int _lastIndex = -1;
    private ulong _oneofs;
    private HashSet<int>? _furtherOneofs;

    /// <summary>The field that came here last time.</summary>
    public readonly FieldTable? Guess => _previous is null ? table.FirstGuess : _previous.Successor;

    /// <summary>
    /// The usual field whose name and colon a text begins with: the one expected, or else one of the next by number. Null where there is none, or where it
    /// would break the order or be a second member of its oneof.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly FieldTable? Find(Vector256<byte> text)
    {
        var field = Guess;
        if (field is not { IsUsual: true } || (text & field.ShortNameMask) != field.ShortNameColon || field.Index <= _lastIndex) field = FindNext(text);
        return field is null || _isDisordered || (_oneofs & field.OneofBit) != 0 ? null : field;
    }

    private readonly FieldTable? FindNext(Vector256<byte> text)
    {
        var fields = table.Fields;
        var end = Math.Min(fields.Length, _lastIndex + 1 + MostTried);
        for (var i = _lastIndex + 1; i < end; i++)
        {
            var field = fields[i];
            if (field.IsUsual && (text & field.ShortNameMask) == field.ShortNameColon) return field;
        }
        return null;
    }

    /// <summary>Notes a member that <see cref="Find"/> found.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(FieldTable field)
    {
        _oneofs |= field.OneofBit;
        _lastIndex = field.Index;
        _previous = field;
    }

    /// <summary>Notes that any member begins, and expects it here next time.</summary>
    public void Begin(FieldTable field)
    {
        if (field != Guess)
        {
            if (_previous is null) table.FirstGuess = field;
            else _previous.Successor = field;
        }
        if (field.Index <= _lastIndex && !_isDisordered)
        {
            _isDisordered = true;
            output.NoteFields(table, _start);
        }
        if (_isDisordered) output.BeginField(field.Index);
        _lastIndex = field.Index;
        _previous = field;
    }

    /// <summary>Notes that the member that began is null: what it had before is gone.</summary>
    public readonly void Clear(FieldTable field)
    {
        if (_isDisordered) output.BeginField(field.Index, clears: true);
    }

    /// <summary>Notes that a member has a value; false where another one of its oneof has one.</summary>
    public bool TryTakeOneof(FieldTable field)
    {
        if (field.Oneof < 0) return true;
        // Nobody has 65 oneofs in a message; who has may pay for a set.
        if (field.OneofBit == 0) return (_furtherOneofs ??= []).Add(field.Oneof);
        if ((_oneofs & field.OneofBit) != 0) return false;
        _oneofs |= field.OneofBit;
        return true;
    }

    /// <summary>Puts the fields in order, if they are not.</summary>
    public readonly void End()
    {
        if (!_isDisordered) return;
        output.Reorder(table, _segmentsBefore);
        output.DropFields(_segmentsBefore);
    }
}
