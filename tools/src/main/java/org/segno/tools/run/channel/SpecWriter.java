package org.segno.tools.run.channel;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of a specification as bytes, in an order that {@link SpecReader} reads. */
final class SpecWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    private interface Write {
        void run() throws IOException;
    }

    private SpecWriter write(Write write) {
        try {
            write.run();
            return this;
        } catch (final IOException e) {
            throw new UncheckedIOException("an array of bytes accepts all bytes", e);
        }
    }

    SpecWriter number(long value) {
        return write(() -> out.writeLong(value));
    }

    SpecWriter flag(boolean value) {
        return write(() -> out.writeBoolean(value));
    }

    SpecWriter bytes(byte[] value) {
        return number(value.length).write(() -> out.write(value));
    }

    SpecWriter text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    SpecWriter optionalText(@Nullable Object value) {
        return value == null ? flag(false) : flag(true).text(value.toString());
    }

    SpecWriter texts(Collection<String> values) {
        number(values.size());
        values.forEach(this::text);
        return this;
    }

    SpecWriter numbers(Collection<Integer> values) {
        number(values.size());
        values.forEach(this::number);
        return this;
    }

    SpecWriter texts(Map<String, String> values) {
        number(values.size());
        values.forEach((name, value) -> text(name).text(value));
        return this;
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
