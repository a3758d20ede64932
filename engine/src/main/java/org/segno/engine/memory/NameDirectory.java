package org.segno.engine.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeLayout.Part;

/**
 * Directory of the names under which a node publishes its counters. The owner writes it; peers read it through their
 * read-only mapping.
 *
 * <p>The entry of a withdrawn name is reused. Its state counts its changes: a reader that finds the same state before
 * and after has read one entry, and not parts of two.
 *
 * <pre>
 *  offset  length  field         meaning                                          written by     access
 *       0       8  state         low byte: 0 empty, 1 counter, 2 pair of          application    release, first and
 *                                counters, 3 withdrawn, 4 client; above: changes                 last
 *       8       4  id            reception counter, of a pair the first; of a     application    release, in one word
 *                                client its first context
 *      12       4  incarnation   of that id; number of the client                 application    with the id
 *      16       8  length        bytes that the counter covers; contexts of the   application    release
 *                                client, above them the hash of its task list
 *      24       4  name length   bytes, 1 to 96                                   application    release
 *      28       4  reserved
 *      32      96  name          UTF-8, zeros behind it                           application    release
 *     128          NAME_LENGTH
 * </pre>
 */
public final class NameDirectory {
    public static final int MAX_NAME_BYTES = 96;
    public static final int COUNTER = 1;
    public static final int PAIR = 2;
    public static final int WITHDRAWN = 3;
    public static final int CLIENT = 4;

    /** Length of an encoded name in words. */
    public static final int NAME_WORDS = 13;

    private static final int KIND_MASK = 0xFF;
    private static final int CHANGE = KIND_MASK + 1;

    private static final int ID_OFFSET = 8;
    private static final int COVERED_OFFSET = 16;
    private static final int NAME_LENGTH_OFFSET = 24;
    private static final int NAME_OFFSET = 32;

    private final Memory memory;
    private final long base;
    private final int capacity;

    /** Maps the directory of a node, for its owner or for a peer. */
    public NameDirectory(NodeMemory node) {
        this.memory = node.owner();
        this.base = node.layout().offset(Part.NAMES);
        this.capacity = node.layout().dimensions().names();
    }

    /**
     * Contents of an entry: the object that a name refers to.
     *
     * @param kind {@link #COUNTER}, {@link #PAIR} or {@link #CLIENT}
     * @param id reception counter, the first one of a pair, or the first context of a client
     * @param incarnation number of the use of that id, or the number of the client within its node
     * @param length bytes that the counter covers; for a client its number of contexts and, in the upper half, the hash
     *     of its task list
     */
    public record Entry(int kind, int id, int incarnation, long length) {
        /** Returns the entry of a client: its contexts, its number, and the hash of its task list. */
        public static Entry client(int first, int number, int contexts, int tasks) {
            return new Entry(CLIENT, first, number, contexts | (long) tasks << Integer.SIZE);
        }

        /** Returns the number of contexts of a client. */
        public int contexts() {
            return (int) length;
        }

        /** Returns the hash of the task list of a client; 0 for all ranks. */
        public int tasks() {
            return (int) (length >>> Integer.SIZE);
        }
    }

    /** Publishes {@code name}, which must not be published at present. Called by the owner. */
    public void publish(String name, Entry published) {
        final long[] encoded = encode(name);
        long free = -1;
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = entry(slot);
            final int kind = kind(memory.getLongAcquire(entry));
            if (kind != 0 && kind != WITHDRAWN) {
                if (matches(entry, encoded)) {
                    throw new IllegalArgumentException(
                            "the name is already published; withdraw it, or choose another: name=" + name);
                }
            } else if (free < 0) {
                free = entry;
            }
        }
        if (free < 0) {
            throw new IllegalArgumentException("all " + capacity
                    + " names are in use; withdraw some, or raise NodeConfig.withCounters, which also raises this limit: name="
                    + name);
        }
        write(free, encoded, published);
    }

    /**
     * Writes an entry. All stores are release stores, so that no part of the new entry is visible before the state that
     * marks the old entry as gone.
     */
    private void write(long entry, long[] encoded, Entry published) {
        final long changes = memory.getLong(entry) & ~(long) KIND_MASK;
        memory.putLongRelease(entry + ID_OFFSET, idWord(published.id(), published.incarnation()));
        memory.putLongRelease(entry + COVERED_OFFSET, published.length());
        for (int i = 0; i < encoded.length; i++) {
            memory.putLongRelease(entry + NAME_LENGTH_OFFSET + (long) i * Long.BYTES, encoded[i]);
        }
        memory.putLongRelease(entry, changes + CHANGE | published.kind());
    }

    /**
     * Withdraws {@code name}: no lookup finds it until it is published again. A reader that has found it before keeps
     * the entry that it has read. Called by the owner.
     *
     * @throws IllegalArgumentException if it is not published
     */
    public void withdraw(String name) {
        final long[] encoded = encode(name);
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = entry(slot);
            final int kind = kind(memory.getLongAcquire(entry));
            if ((kind == COUNTER || kind == PAIR) && matches(entry, encoded)) {
                withdraw(entry);
                return;
            }
        }
        throw new IllegalArgumentException("the name is not published, so it cannot be withdrawn: name=" + name);
    }

    /** Withdraws the name of a client, which is published. Called by the owner. */
    public void withdrawClient(String name) {
        final long[] encoded = encode(name);
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = entry(slot);
            if (kind(memory.getLongAcquire(entry)) == CLIENT && matches(entry, encoded)) {
                withdraw(entry);
            }
        }
    }

    /** Withdraws all names of a counter, or those of the first counter of a pair. Called by the owner. */
    public void withdrawAll(int id, int incarnation) {
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = entry(slot);
            final int kind = kind(memory.getLongAcquire(entry));
            if ((kind == COUNTER || kind == PAIR) && memory.getLong(entry + ID_OFFSET) == idWord(id, incarnation)) {
                withdraw(entry);
            }
        }
    }

    /**
     * Replaces the counter to which its names refer. A reader that reads meanwhile finds the name withdrawn. Called by
     * the owner.
     *
     * @param incarnation number of the use of the id under which the names were published
     */
    public void renew(int incarnation, Entry renewed) {
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = entry(slot);
            final int kind = kind(memory.getLongAcquire(entry));
            if (kind == renewed.kind() && memory.getLong(entry + ID_OFFSET) == idWord(renewed.id(), incarnation)) {
                withdraw(entry);
                memory.putLongRelease(entry + ID_OFFSET, idWord(renewed.id(), renewed.incarnation()));
                memory.putLongRelease(entry + COVERED_OFFSET, renewed.length());
                memory.putLongRelease(entry, (memory.getLong(entry) & ~(long) KIND_MASK) + CHANGE | kind);
            }
        }
    }

    private void withdraw(long entry) {
        final long changes = memory.getLong(entry) & ~(long) KIND_MASK;
        memory.putLongRelease(entry, changes + CHANGE | WITHDRAWN);
    }

    /** Returns the entry of a name, or null while the name is not published. */
    public @Nullable Entry find(String name) {
        return find(encode(name));
    }

    /** Returns the entry of a name in the encoding of {@link #encode}, or null while the name is not published. */
    public @Nullable Entry find(long[] encoded) {
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = entry(slot);
            final long state = memory.getLongAcquire(entry);
            final int kind = kind(state);
            if (kind == 0) {
                return null;
            }
            if (kind != WITHDRAWN && matches(entry, encoded)) {
                final long id = memory.getLongAcquire(entry + ID_OFFSET);
                final long length = memory.getLongAcquire(entry + COVERED_OFFSET);
                if (memory.getLongAcquire(entry) == state) {
                    return new Entry(kind, (int) id, (int) (id >>> Integer.SIZE), length);
                }
            }
        }
        return null;
    }

    /**
     * Returns the first name of a counter, or of a pair for the id of either counter, in quotes and with a space before
     * it, to follow the counter's number in a message. Returns an empty text if it is not published. Allocates.
     */
    public String quotedNameOf(int id, int incarnation) {
        for (int slot = 0; slot < capacity; slot++) {
            final long entry = entry(slot);
            final long state = memory.getLongAcquire(entry);
            final int kind = kind(state);
            final long word = memory.getLongAcquire(entry + ID_OFFSET);
            final boolean isIt = (kind == COUNTER || kind == PAIR) && word == idWord(id, incarnation);
            final boolean isOdd = kind == PAIR && word == idWord(id - 1, incarnation);
            if (isIt || isOdd) {
                final String name = name(entry);
                if (memory.getLongAcquire(entry) == state) {
                    return " \"" + name + "\"";
                }
            }
        }
        return "";
    }

    /** Decodes the name of an entry, which its owner may be changing. */
    private String name(long entry) {
        final ByteBuffer words =
                ByteBuffer.allocate(NodeLayout.NAME_LENGTH - NAME_LENGTH_OFFSET).order(ByteOrder.nativeOrder());
        for (int at = 0; at < words.capacity(); at += Long.BYTES) {
            words.putLong(at, memory.getLongAcquire(entry + NAME_LENGTH_OFFSET + at));
        }
        final int length = Math.max(0, Math.min(words.getInt(0), MAX_NAME_BYTES));
        return new String(words.array(), NAME_OFFSET - NAME_LENGTH_OFFSET, length, StandardCharsets.UTF_8);
    }

    private long entry(int slot) {
        return base + (long) slot * NodeLayout.NAME_LENGTH;
    }

    private static long idWord(int id, int incarnation) {
        return (id & 0xFFFF_FFFFL) | ((long) incarnation << Integer.SIZE);
    }

    /** Returns the kind of an entry from its state. */
    public static int kind(long state) {
        return (int) state & KIND_MASK;
    }

    /** Returns true for the kind of a published entry. */
    public static boolean isPublished(int kind) {
        return kind == COUNTER || kind == PAIR || kind == CLIENT;
    }

    private boolean matches(long entry, long[] encoded) {
        for (int i = 0; i < encoded.length; i++) {
            if (memory.getLongAcquire(entry + NAME_LENGTH_OFFSET + (long) i * Long.BYTES) != encoded[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns a name in the encoding of its entry: its length, then its bytes and zeros, in whole words. */
    public static long[] encode(String name) {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException("a name must have 1 to " + MAX_NAME_BYTES + " bytes in UTF-8, it has "
                    + bytes.length + ": name=" + name);
        }
        final ByteBuffer entry =
                ByteBuffer.allocate(NodeLayout.NAME_LENGTH - NAME_LENGTH_OFFSET).order(ByteOrder.nativeOrder());
        entry.putInt(0, bytes.length).put(NAME_OFFSET - NAME_LENGTH_OFFSET, bytes);
        final long[] encoded = new long[NAME_WORDS];
        entry.asLongBuffer().get(encoded);
        return encoded;
    }
}
