package org.segno.tools.inspect.record;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.tools.output.Table;

/**
 * Words of one kind of record: offset, length, writer and name of each.
 *
 * <p>The record's Javadoc table in the engine is the specification; a test compares the two.
 */
public final class Words {
    public static final Words NODE_HEADER = of(
            "0 8 owner magic",
            "8 4 owner byte order",
            "12 4 owner layout hash",
            "16 16 owner job id",
            "32 4 owner rank",
            "36 4 owner size",
            "40 8 owner pid",
            "48 8 owner process start",
            "56 8 owner file length",
            "128 8 owner state",
            "256 8 membership heartbeat");

    public static final Words FIFO = of(
            "0 8 application start",
            "8 4 application slots",
            "12 4 application kind",
            "16 8 application enable",
            "24 8 application activate",
            "32 8 application deactivate",
            "40 8 application threshold",
            "48 8 application threshold clears",
            "56 4 application priority",
            "60 4 application link mask",
            "64 8 application quantum bytes",
            "72 8 application quantum descriptors",
            "80 8 application section tail",
            "88 8 application free threshold",
            "96 8 application free threshold clears",
            "104 8 application section changes",
            "128 8 engine active",
            "136 8 engine inactive",
            "144 8 engine threshold crossings",
            "152 8 engine descriptors",
            "160 8 engine quarantine",
            "168 8 engine held",
            "176 8 engine free threshold crossings");

    public static final Words DESCRIPTOR = of(
            "0 1 application operation",
            "1 1 application flags",
            "4 4 application rank",
            "8 4 application target id",
            "12 4 application target detail",
            "16 8 application source offset",
            "24 4 application source operand",
            "28 4 application injection counter",
            "32 8 application target offset",
            "40 8 application operand",
            "48 8 application comparand",
            "56 8 application length");

    public static final Words MULTICAST = of(
            "0 1 application operation",
            "1 1 application flags",
            "4 4 application rank",
            "8 4 application target id",
            "12 4 application target detail",
            "16 8 application source offset",
            "24 4 application source operand",
            "28 4 application injection counter",
            "32 8 application metadata offset",
            "40 4 application metadata operand",
            "44 4 application payload length",
            "48 4 application second target",
            "52 4 application third target",
            "56 4 application fourth target",
            "60 4 application fifth target");

    public static final Words RUN = of(
            "0 4 application first",
            "4 4 application slots",
            "8 8 application generation",
            "16 4 application pattern",
            "20 4 application arms",
            "24 8 application end");

    public static final Words PATTERN_STATE = of("0 8 engine executed", "8 8 engine error");

    public static final Words PATTERN_ENTRY =
            of("0 4 application id", "4 4 application first", "8 8 application extent");

    public static final Words COUNTER_SETTINGS =
            of("0 8 owner state", "8 8 owner base", "16 8 owner limit", "24 4 owner sources", "28 4 owner context");

    public static final Words RECEPTION_VALUE = of("0 8 landing value", "64 8 landing error");

    public static final Words INJECTION_VALUE =
            of("0 8 engine value", "64 8 engine error", "72 8 engine events", "80 8 application flags");

    public static final Words WINDOW =
            of("0 8 application base", "8 8 application length", "16 4 application incarnation");

    public static final Words NAME = of(
            "0 8 application state",
            "8 4 application id",
            "12 4 application incarnation",
            "16 8 application length",
            "24 4 application name length");

    private static final int TWO_WORDS = 16;

    private final List<Word> all;

    private Words(List<Word> all) {
        this.all = all;
    }

    /**
     * One word.
     *
     * @param offset offset from the record's start
     * @param length bytes: 1, 2, 4, 8, or 16 for an id
     * @param writer component that stores it
     * @param name name in the record's table
     */
    public record Word(int offset, int length, String writer, String name) {}

    private static Words of(String... lines) {
        final List<Word> words = new ArrayList<>();
        for (final String line : lines) {
            final String[] fields = line.split(" ", 4);
            words.add(new Word(Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), fields[2], fields[3]));
        }
        return new Words(List.copyOf(words));
    }

    /** Returns the words of the descriptor at {@code offset}. */
    public static Words ofDescriptor(Memory memory, long offset) {
        return memory.getByte(offset) == Operation.MULTICAST ? MULTICAST : DESCRIPTOR;
    }

    /** Returns the words, by offset. */
    public List<Word> all() {
        return all;
    }

    /** Returns an empty table for words of any record. */
    public static Table table() {
        return Table.of("words", "rank", "record", "offset", "word", "value", "writtenBy");
    }

    /** Adds each word of the record at {@code base}. The record must be completely inside {@code memory}. */
    public void addTo(Table table, int rank, String record, Memory memory, long base, boolean hex) {
        for (final Word word : all) {
            table.row(rank, record, word.offset(), word.name(), text(word, memory, base, hex), word.writer());
        }
    }

    private static String text(Word word, Memory memory, long base, boolean hex) {
        final long offset = base + word.offset();
        if (word.length() == TWO_WORDS) {
            return String.format("%016x%016x", memory.getLong(offset), memory.getLong(offset + Long.BYTES));
        }
        final long value = switch (word.length()) {
            case Byte.BYTES -> memory.getByte(offset);
            case Short.BYTES -> memory.getShort(offset);
            case Integer.BYTES -> memory.getInt(offset);
            default -> memory.getLongAcquire(offset);
        };
        final int bits = (Long.BYTES - word.length()) * Byte.SIZE;
        return hex ? "0x" + Long.toHexString(value << bits >>> bits) : Long.toString(value);
    }
}
