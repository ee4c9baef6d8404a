using System.Buffers;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.State;

namespace Abathur.Protobuf.ProtoJson.ToWire;

/// <summary>
/// Reads the JSON of a message and writes its protobuf in one pass. Members usually have the same order as last time, so each name is first
/// compared with the expected one. If they are not in the order of their numbers, <see cref="WireScratch.Reorder"/> sorts that message.
/// </summary>
internal ref struct JsonToWire
{
    private readonly ProtoJsonOptions _options;
    private readonly TableCompiler _compiler;
    private readonly TranscoderState _state;
    private int _depth;
    private int _deepest;

    /// <summary>Set by the reader of an unknown enum name that is to be ignored; the writer of the value removes the value and resets
    /// this.</summary>
    public bool HasSkipped;

    /// <summary>The input.</summary>
    public JsonCursor Json;

    /// <summary>The output.</summary>
    public readonly WireScratch Out;

    public JsonToWire(ReadOnlySpan<byte> json, TranscoderState state, ProtoJsonOptions options, TableCompiler compiler)
    {
        Json = new JsonCursor(json);
        Out = state.Scratch;
        _state = state;
        _options = options;
        _compiler = compiler;
    }

    /// <summary>Whether unknown members are skipped.</summary>
    public readonly bool IgnoresUnknown => _options.IgnoreUnknownFields;

    public void ReadRoot(MessageTable table)
    {
        // JSON null as the whole input means an empty wrapper, as in Google's parser.
        if (table.WellKnown == WellKnown.Wrapper && Json.Peek() == 'n') Json.TakeLiteral("null"u8);
        else ReadMessage(table);
        if (Json.Peek() != 0 || !Json.AtEnd) Json.FailExpected("the end");
    }

    /// <summary>Reads a message and writes its content, without tag and length.</summary>
    public void ReadMessage(MessageTable table)
    {
        if (table.WellKnown != WellKnown.None)
        {
            WellKnownToWire.Read(ref this, table);
            return;
        }
        if (Json.Peek() != '{') Json.FailExpected($"an object for {table.FullName}");
        Descend();
        ReadMembers(table, skipsType: false);
        Ascend();
    }

    /// <summary>Reads an object with the members of a message. <paramref name="skipsType"/>: skips the first member <c>@type</c>.</summary>
    public void ReadMembers(MessageTable table, bool skipsType)
    {
        Json.Take((byte)'{');
        if (Json.TryTake((byte)'}')) return;
        var order = new MemberOrder(table, Out);
        do
        {
            if (PredictedMembers.Read(ref this, ref order)) break;
            var field = ReadName(table, order.Guess, ref skipsType);
            if (field is null)
            {
                SkipValue();
                continue;
            }
            order.Begin(field);
            if (TryTakeNull(field)) order.Clear(field);
            else if (!order.TryTakeOneof(field)) Json.Fail($"oneof {field.OneofName} has more than one value");
            else ReadField(field);
        }
        while (Json.TakeCommaOr((byte)'}'));
        order.End();
        CheckSize();
    }

    /// <summary>Consumes the separator after a member; true at the end of the object.</summary>
    public bool EndsMember() => !Json.TakeCommaOr((byte)'}');

    /// <summary>Consumes a null that means that the field has no value.</summary>
    private bool TryTakeNull(FieldTable field)
    {
        if (Json.Peek() != 'n' || (field.TakesNull && !field.IsRepeated && !field.IsMap)) return false;
        Json.TakeLiteral("null"u8);
        return true;
    }

    // Reads the value of a field and writes it with its tag.
    private void ReadField(FieldTable field)
    {
        if (field.IsRepeated) ReadArray(field);
        else if (field.IsMap) ReadMap(field);
        else ReadTagged(field, field.HasPresence ? Omission.None : Omission.Default);
    }

    /// <summary>Reads one value and writes it with its tag; false if it was skipped.</summary>
    public bool ReadTagged(FieldTable field, Omission omission)
    {
        var before = Out.Position;
        Out.Tag(field);
        bool isDefault;
        if (field.Message is { } message)
        {
            ReadNested(field, message);
            isDefault = false;
        }
        else
        {
            isDefault = ScalarToWire.Read(ref this, field);
        }
        if (TakeBackSkipped(before)) return false;
        // The last byte of a float has its sign.
        if (isDefault && (omission == Omission.Default || (omission == Omission.ExactDefault && Out.Written[^1] == 0)))
            Out.Position = before;
        return true;
    }

    /// <summary>Reads an array.</summary>
    public void ReadArray(FieldTable field)
    {
        Descend();
        Json.Take((byte)'[');
        if (!Json.TryTake((byte)']'))
        {
            if (field.IsPacked) ReadPacked(field);
            else ReadElements(field);
        }
        Ascend();
    }

    /// <summary>Reads an object as a map.</summary>
    public void ReadMap(FieldTable map)
    {
        Descend();
        var start = Out.Position;
        var count = 0;
        var (key, value) = (map.Message!.Fields[0], map.Message.Fields[1]);
        Json.Take((byte)'{');
        if (!Json.TryTake((byte)'}'))
        {
            do
            {
                var entryTag = Out.Position;
                Out.Raw(map.TagBytes);
                var entryStart = Out.BeginLength(map, out var guess);
                var before = Out.Position;
                Out.Raw(key.TagBytes);
                if (ScalarToWire.ReadKey(ref this, key)) Out.Position = before;
                Json.Take((byte)':');
                if (Json.Peek() == 'n' && !value.TakesNull) Json.Fail("a value of a map cannot be null");
                if (!ReadTagged(value, Omission.ExactDefault))
                {
                    Out.Position = entryTag;
                    continue;
                }
                Out.EndLength(map, entryStart, guess);
                count++;
            }
            while (Json.TakeCommaOr((byte)'}'));
        }
        if (count > 1) MapEntries.DropOverwritten(Out, map, start);
        CheckSize();
        Ascend();
    }

    /// <summary>The unescaped text of a consumed string. <paramref name="rented"/> must be returned to the pool if it is not
    /// null.</summary>
    public ReadOnlySpan<byte> Unescape(ReadOnlySpan<byte> text, bool hasEscapes, out byte[]? rented)
    {
        rented = null;
        if (!hasEscapes) return text;
        rented = ArrayPool<byte>.Shared.Rent(text.Length);
        return rented.AsSpan(0, Json.Unescape(text, rented));
    }

    /// <summary>Skips a value of any kind.</summary>
    public void SkipValue()
    {
        switch (Json.Peek())
        {
            case (byte)'{':
                Descend();
                Json.Position++;
                if (!Json.TryTake((byte)'}'))
                {
                    do
                    {
                        SkipString();
                        Json.Take((byte)':');
                        SkipValue();
                    }
                    while (Json.TakeCommaOr((byte)'}'));
                }
                Ascend();
                break;
            case (byte)'[':
                Descend();
                Json.Position++;
                if (!Json.TryTake((byte)']'))
                {
                    do
                    {
                        SkipValue();
                    }
                    while (Json.TakeCommaOr((byte)']'));
                }
                Ascend();
                break;
            case (byte)'"': SkipString(); break;
            case (byte)'t': Json.TakeLiteral("true"u8); break;
            case (byte)'f': Json.TakeLiteral("false"u8); break;
            case (byte)'n': Json.TakeLiteral("null"u8); break;
            case (byte)'-' or (>= (byte)'0' and <= (byte)'9'): Json.TakeNumber(); break;
            default: Json.FailExpected("a value"); break;
        }
    }

    /// <summary>Enters an object or array; <see cref="Ascend"/> leaves it.</summary>
    public void Descend()
    {
        // The outermost object has depth 0.
        _deepest = Math.Max(_deepest, _depth + 1);
        if (_depth++ > _options.MaxDepth) Json.FailLimit($"objects and arrays are nested deeper than {_options.MaxDepth}");
    }

    public void Ascend() => _depth--;

    /// <summary>The table of a type named in an Any; null if it is not known.</summary>
    public readonly MessageTable? FindInAny(string fullName) => _compiler.FindInAny(fullName);

    /// <summary>Checks the limit on the output; called often enough that the output cannot exceed it by much.</summary>
    public readonly void CheckSize()
    {
        if (Out.Position > _options.MaxOutputBytes) Json.FailLimit($"the message would be larger than {_options.MaxOutputBytes} bytes");
    }

    private void ReadNested(FieldTable field, MessageTable message)
    {
        if (field.Kind == FieldKind.Group)
        {
            ReadMessage(message);
            Out.Raw(field.EndTagBytes);
            return;
        }
        var start = Out.BeginLength(field, out var guess);
        ReadMessage(message);
        Out.EndLength(field, start, guess);
    }

    private void ReadElements(FieldTable field)
    {
        do
        {
            if (Json.Peek() == 'n' && !field.TakesNull) Json.Fail("an element of a repeated field cannot be null");
            if (Json.Length >= TranscodeCache.MinInputBytes
                && field.Kind == FieldKind.Message
                && field.Message!.WellKnown == WellKnown.None)
                ReadElement(field, field.Message);
            else ReadTagged(field, Omission.None);
            CheckSize();
        }
        while (Json.TakeCommaOr((byte)']'));
    }

    // A message that was cached in an earlier frame is not parsed again.
    private void ReadElement(FieldTable field, MessageTable message)
    {
        var text = Json.Rest;
        Out.Tag(field);
        if (_depth <= _options.MaxDepth - TranscodeCache.MaxDepth
            && _state.ToWire.TryFindAtStart(message, text, out var length, out var known))
        {
            Out.Varint((uint)known.Length);
            Out.Raw(known);
            Json.Position += length;
            _deepest = Math.Max(_deepest, _depth + TranscodeCache.MaxDepth);
            return;
        }
        var (jsonStart, deepestBefore) = (Json.Position, _deepest);
        _deepest = _depth;
        var start = Out.BeginLength(field, out var guess);
        ReadMessage(message);
        Out.EndLength(field, start, guess);
        length = Json.Position - jsonStart;
        if (length <= TranscodeCache.MaxJsonBytes && _deepest - _depth <= TranscodeCache.MaxDepth)
            _state.ToWire.Add(message, text, length, Out.Message(start - guess));
        _deepest = Math.Max(_deepest, deepestBefore);
    }

    private void ReadPacked(FieldTable field)
    {
        var tagStart = Out.Position;
        Out.Raw(field.TagBytes);
        var start = Out.BeginLength(field, out var guess);
        do
        {
            if (Json.Peek() == 'n' && !field.TakesNull) Json.Fail("an element of a repeated field cannot be null");
            var before = Out.Position;
            ScalarToWire.Read(ref this, field);
            TakeBackSkipped(before);
            CheckSize();
        }
        while (Json.TakeCommaOr((byte)']'));
        // All elements may have been skipped.
        if (Out.Position == start) Out.Position = tagStart;
        else Out.EndLength(field, start, guess);
    }

    private bool TakeBackSkipped(int position)
    {
        if (!HasSkipped) return false;
        HasSkipped = false;
        Out.Position = position;
        return true;
    }

    // Consumes the name and the colon. Null: the value is to be skipped.
    private FieldTable? ReadName(MessageTable table, FieldTable? guess, ref bool skipsType)
    {
        if (guess is not null && Json.Peek() == '"' && Json.Rest.StartsWith(guess.NameColon))
        {
            Json.Position += guess.NameColon.Length;
            return guess;
        }
        Json.Peek();
        var start = Json.Position;
        var text = Json.TakeString(out var hasEscapes);
        var name = Unescape(text, hasEscapes, out var rented);
        var field = table.Find(name);
        if (field is null && !IgnoresUnknown && !(skipsType && name.SequenceEqual("@type"u8)))
        {
            Json.FailAt(start, $"{table.FullName} has no field \"{ProtoJsonException.Shown(name)}\"");
        }
        if (field is null && name.SequenceEqual("@type"u8)) skipsType = false;
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
        Json.Take((byte)':');
        return field;
    }

    private void SkipString()
    {
        var text = Json.TakeString(out var hasEscapes);
        Unescape(text, hasEscapes, out var rented);
        if (rented is not null) ArrayPool<byte>.Shared.Return(rented);
    }
}
