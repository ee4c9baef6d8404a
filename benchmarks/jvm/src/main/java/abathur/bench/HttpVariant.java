package abathur.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * One way to move a frame by HTTP.
 *
 * @param isPost whether the client sends the frame; else the server does
 * @param codec of the body
 * @param isCompressed whether the body is compressed with gzip
 */
record HttpVariant(boolean isPost, String codec, boolean isCompressed) {
    static List<HttpVariant> all() {
        var found = new ArrayList<HttpVariant>();
        for (boolean isPost : new boolean[] {false, true}) {
            for (String codec : new String[] {"protobuf", "jackson"}) {
                for (boolean isCompressed : new boolean[] {false, true}) found.add(new HttpVariant(isPost, codec, isCompressed));
            }
        }
        return found;
    }

    String name() {
        return (isPost ? "post-" : "get-") + (codec.equals("jackson") ? "json" : codec) + (isCompressed ? "-gzip" : "");
    }

    String contentType() {
        return codec.equals("jackson") ? "application/json" : "application/x-protobuf";
    }
}
