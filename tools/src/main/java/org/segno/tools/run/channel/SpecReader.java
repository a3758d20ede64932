package org.segno.tools.run.channel;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of a specification, read in the order in which {@link SpecWriter} has written them. */
final class SpecReader {
    private final ByteBuffer in;

    SpecReader(byte[] bytes) {
        in = ByteBuffer.wrap(bytes);
    }

    long number() throws IOException {
        try {
            return in.getLong();
        } catch (final BufferUnderflowException e) {
            throw new IOException("the specification of the ranks is truncated", e);
        }
    }

    int integer() throws IOException {
        return (int) number();
    }

    boolean flag() throws IOException {
        if (!in.hasRemaining()) {
            throw new IOException("the specification of the ranks is truncated");
        }
        return in.get() != 0;
    }

    /** Returns a number of items, each of which has a byte or more. */
    private int count() throws IOException {
        final long count = number();
        if (count < 0 || count > in.remaining()) {
            throw new IOException(
                    "the specification of the ranks is malformed: " + count + " items in " + in.remaining() + " bytes");
        }
        return (int) count;
    }

    byte[] bytes() throws IOException {
        final byte[] value = new byte[count()];
        in.get(value);
        return value;
    }

    String text() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    @Nullable
    String optionalText() throws IOException {
        return flag() ? text() : null;
    }

    List<String> texts() throws IOException {
        final int count = count();
        final List<String> values = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            values.add(text());
        }
        return values;
    }

    List<Integer> numbers() throws IOException {
        final int count = count();
        final List<Integer> values = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            values.add(integer());
        }
        return values;
    }

    Map<String, String> textsByName() throws IOException {
        final int count = count();
        final Map<String, String> values = new LinkedHashMap<>();
        for (int index = 0; index < count; index++) {
            final String name = text();
            values.put(name, text());
        }
        return values;
    }

    void requireEnd() throws IOException {
        if (in.hasRemaining()) {
            throw new IOException(
                    "the specification of the ranks has " + in.remaining() + " bytes after its last value");
        }
    }
}
