package abathur.bench;

import com.fasterxml.jackson.module.afterburner.AfterburnerModule;
import com.fasterxml.jackson.module.blackbird.BlackbirdModule;

/** The codecs by name. */
final class Codecs {
    private static final String GZIP = "+gzip";

    private Codecs() {}

    /** Creates one codec. A process that measures one loads no class of the others, so that its call sites see one type only. */
    @SuppressWarnings("unchecked")
    static Codec<Object> create(String name) {
        if (name.endsWith(GZIP)) {
            return new GzipCodec<>(create(name.substring(0, name.length() - GZIP.length())));
        }
        Codec<?> codec = switch (name) {
            case "jackson" -> new JacksonCodec();
            case "jackson-afterburner" -> new JacksonCodec(new AfterburnerModule());
            case "jackson-blackbird" -> new JacksonCodec(new BlackbirdModule());
            case "protobuf" -> new ProtobufCodec();
            case "protobuf-plain" -> new ProtobufPlainCodec();
            case "protojson" -> new ProtoJsonCodec();
            default -> throw new IllegalArgumentException("there is no codec " + name);
        };
        return (Codec<Object>) codec;
    }
}
