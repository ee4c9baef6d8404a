using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.State;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>
/// Tracks the order of an object's members. As long as they are in the order of their numbers without repetition, the output needs no
/// sorting. From the first other member on, fields are recorded, and sorted at the end.
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

    /// <summary>The field that was here last time.</summary>
    public readonly FieldTable? Guess => _previous is null ? table.FirstGuess : _previous.Successor;

    /// <summary>
    /// The field whose name and colon are at the start of a text: the expected one, or one of the next by number. Null if there is no
    /// match, or if the field would break the order or be a second member of its oneof.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly FieldTable? Find(Vector256<byte> text)
    {
        var field = Guess;
        if (field is not { IsUsual: true } || (text & field.ShortNameMask) != field.ShortNameColon || field.Index <= _lastIndex)
            field = FindNext(text);
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

    /// <summary>Records a member that <see cref="Find"/> has found.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(FieldTable field)
    {
        _oneofs |= field.OneofBit;
        _lastIndex = field.Index;
        _previous = field;
    }

    /// <summary>Records that a member begins, and expects it here next time.</summary>
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

    /// <summary>Records that the current member is null: an earlier value is cleared.</summary>
    public readonly void Clear(FieldTable field)
    {
        if (_isDisordered) output.BeginField(field.Index, clears: true);
    }

    /// <summary>Records that a member has a value; false if another member of its oneof has one.</summary>
    public bool TryTakeOneof(FieldTable field)
    {
        if (field.Oneof < 0) return true;
        // A set is enough for the rare messages with more than 64 oneofs.
        if (field.OneofBit == 0) return (_furtherOneofs ??= []).Add(field.Oneof);
        if ((_oneofs & field.OneofBit) != 0) return false;
        _oneofs |= field.OneofBit;
        return true;
    }

    /// <summary>Sorts the fields if necessary.</summary>
    public readonly void End()
    {
        if (!_isDisordered) return;
        output.Reorder(table, _segmentsBefore);
        output.DropFields(_segmentsBefore);
    }
}
