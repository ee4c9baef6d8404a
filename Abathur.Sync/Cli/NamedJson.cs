using System.Text.Json;

namespace Abathur.Sync.Cli;

/// <summary>Copies the JSON of a message and adds a name after each number of a unit type or an ability.</summary>
/// <remarks>After <c>"unitType":105</c> comes <c>"unitTypeName":"Zergling"</c>, after <c>"abilityId":1</c>
/// <c>"abilityName":"..."</c>. Nothing else changes.</remarks>
internal sealed class NamedJson(GameNames names)
{
    /// <exception cref="JsonException">The JSON is invalid.</exception>
    public void Write(ReadOnlySpan<byte> json, Utf8JsonWriter output)
    {
        var reader = new Utf8JsonReader(json);
        // What the number that comes next is.
        var (isUnitType, isAbility) = (false, false);
        while (reader.Read())
        {
            switch (reader.TokenType)
            {
                case JsonTokenType.PropertyName:
                    (isUnitType, isAbility) = (reader.ValueTextEquals("unitType"u8), reader.ValueTextEquals("abilityId"u8));
                    output.WritePropertyName(reader.GetString()!);
                    break;
                case JsonTokenType.StartObject: output.WriteStartObject(); break;
                case JsonTokenType.EndObject: output.WriteEndObject(); break;
                case JsonTokenType.StartArray: output.WriteStartArray(); break;
                case JsonTokenType.EndArray: output.WriteEndArray(); break;
                case JsonTokenType.String: output.WriteStringValue(reader.GetString()); break;
                default:
                    // Numbers and literals, byte for byte.
                    output.WriteRawValue(reader.ValueSpan, skipInputValidation: true);
                    if ((!isUnitType && !isAbility) || reader.TokenType != JsonTokenType.Number || !reader.TryGetUInt32(out var id)) break;
                    if (isUnitType) output.WriteString("unitTypeName", names.Unit(id));
                    else output.WriteString("abilityName", names.Ability(id));
                    break;
            }
        }
    }
}
