package abathur.bench;

import abathur.bench.plain.ResponseObservation;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;

/** Rows `jackson*`: JSON of plain objects. */
final class JacksonCodec extends PlainCodec {
    private final ObjectMapper mapper = new ObjectMapper();
    private final String footnote;

    /** With the defaults of ObjectMapper. */
    JacksonCodec() {
        footnote = "One ObjectMapper with its defaults: writeValueAsBytes and readValue. Field names of the .proto files, enums as numbers,"
            + " bytes as base64.";
    }

    /** With a module that generates the access to fields in place of reflection. */
    JacksonCodec(Module module) {
        mapper.registerModule(module);
        footnote = "As row jackson, with " + module.getModuleName() + " registered.";
    }

    @Override
    public byte[] encode(ResponseObservation object) throws IOException {
        return mapper.writeValueAsBytes(object);
    }

    @Override
    public ResponseObservation decode(byte[] data) throws IOException {
        return mapper.readValue(data, ResponseObservation.class);
    }

    @Override
    public List<String> footnotes() {
        return List.of(footnote, PLAIN_OBJECTS);
    }

    @Override
    public List<String> cannotCarry() {
        return List.of("unknown fields");
    }
}
