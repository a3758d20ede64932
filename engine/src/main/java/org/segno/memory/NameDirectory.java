package org.segno.memory;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.segno.memory.NodeLayout.Part;

/**
 * The names under which a node publishes its counters: written by the owner, read by peers from their read-only mapping.
 *
 * <pre>
 *  offset  length  field         meaning                                          written by     access
 *       0       8  state         0 empty, 1 counter, 2 pair of counters           application    release, last
 *       8       4  id            reception counter, of a pair the first           application    plain
 *      12       4  incarnation   of that id                                       application    plain
 *      16       8  length        bytes that the counter covers                    application    plain
 *      24       4  name length   bytes, 1 to 96                                   application    plain
 *      28       4  reserved
 *      32      96  name          UTF-8                                            application    plain
 *     128          NAME_LENGTH
 * </pre>
 */
public final class NameDirectory {
    public static final int MAX_NAME_BYTES = 96;
    public static final int COUNTER = 1;
    public static final int PAIR = 2;

    private static final int ID_OFFSET = 8;
    private static final int INCARNATION_OFFSET = 12;
    private static final int COVERED_OFFSET = 16;
    private static final int NAME_LENGTH_OFFSET = 24;
    private static final int NAME_OFFSET = 32;

    private final Memory memory;
    private final long base;
    private final int capacity;

    /** The directory of a node, as its owner or as a peer sees it. */
    public NameDirectory(NodeMemory node) {
        this.memory = node.owner();
        this.base = node.layout().offset(Part.NAMES);
        this.capacity = node.layout().dimensions().names();
    }

    /**
     * What a name stands for.
     *
     * @param kind {@link #COUNTER} or {@link #PAIR}
     * @param id reception counter, of a pair the first
     * @param incarnation which use of that id
     * @param length bytes that the counter covers
     */
    public record Entry(int kind, int id, int incarnation, long length) {}

    /** Owner: publishes {@code name}. A name is published once. */
    public void publish(String name, Entry published) {
        final byte[] bytes = encode(name);
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = base + (long) slot * NodeLayout.NAME_LENGTH;
            if (memory.getLongAcquire(entry) == 0) {
                memory.putInt(entry + ID_OFFSET, published.id());
                memory.putInt(entry + INCARNATION_OFFSET, published.incarnation());
                memory.putLong(entry + COVERED_OFFSET, published.length());
                memory.putInt(entry + NAME_LENGTH_OFFSET, bytes.length);
                for (int i = 0; i < bytes.length; i++) {
                    memory.putByte(entry + NAME_OFFSET + i, bytes[i]);
                }
                memory.putLongRelease(entry, published.kind());
                return;
            }
            if (matches(entry, bytes)) {
                throw new IllegalArgumentException("the name is already published: name=" + name);
            }
        }
        throw new IllegalArgumentException("all " + capacity + " names are in use; raise names: name=" + name);
    }

    /** Looks a name up; null while it is not published. */
    public @Nullable Entry find(String name) {
        final byte[] bytes = encode(name);
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = base + (long) slot * NodeLayout.NAME_LENGTH;
            final long kind = memory.getLongAcquire(entry);
            if (kind == 0) {
                return null;
            }
            if (matches(entry, bytes)) {
                return new Entry(
                        (int) kind,
                        memory.getInt(entry + ID_OFFSET),
                        memory.getInt(entry + INCARNATION_OFFSET),
                        memory.getLong(entry + COVERED_OFFSET));
            }
        }
        return null;
    }

    private boolean matches(long entry, byte[] name) {
        if (memory.getInt(entry + NAME_LENGTH_OFFSET) != name.length) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if (memory.getByte(entry + NAME_OFFSET + i) != name[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte[] encode(String name) {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException("a name must have 1 to " + MAX_NAME_BYTES + " bytes in UTF-8, it has "
                    + bytes.length + ": name=" + name);
        }
        return bytes;
    }
}
