package org.segno.tools.inspect.record;

import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.pattern.PatternEntry;
import org.segno.tools.output.Table;

/**
 * Entry of a recorded pattern in the node's file.
 *
 * @param id id of the pattern, below zero if it was only prepared
 * @param first first slot of its section
 * @param slots number of slots of its section
 * @param arms number of ARM descriptors in the section
 * @param rounds mode that separates its rounds, or {@link PatternEntry#NONE} if there is no pattern
 */
public record PatternSection(int id, int first, int slots, int arms, int rounds) {
    private static final int TARGETS_SHOWN = 8;

    /** Reads the entry {@code index} of a context. */
    public static PatternSection read(NodeMemory node, int context, int index) {
        final Memory owner = node.owner();
        final long offset = PatternEntry.offset(node, context, index);
        final long extent = PatternEntry.extent(owner, offset);
        return new PatternSection(
                PatternEntry.id(owner, offset),
                PatternEntry.first(owner, offset),
                PatternEntry.slots(extent),
                PatternEntry.arms(extent),
                PatternEntry.state(extent));
    }

    /** Returns an empty table of patterns, for a job or a file. */
    public static Table table() {
        return Table.of(
                "patterns",
                "rank",
                "context",
                "index",
                "id",
                "executed",
                "started",
                "first",
                "descriptors",
                "bytes",
                "targets",
                "rounds",
                "error");
    }

    /** Returns true if the entry holds a pattern. */
    public boolean exists() {
        return rounds != PatternEntry.NONE;
    }

    /** Returns the name of the mode that separates its rounds. */
    public String roundsName() {
        return rounds == PatternEntry.ALTERNATE ? "alternate" : "ordered by caller";
    }

    /** Returns true if its section is within the node's pattern buffer. */
    public boolean isPossible(NodeDimensions d) {
        return (rounds == PatternEntry.ORDERED_BY_CALLER || rounds == PatternEntry.ALTERNATE)
                && first >= 0
                && slots >= 0
                && slots <= d.patternSlots() - first
                && arms >= 0
                && arms <= slots;
    }

    /** Returns the offset in the owner's half of slot 0 of a context's pattern buffer. */
    public static long start(NodeMemory node, int context) {
        return node.layout().offset(Part.PATTERN_BUFFER)
                + (long) context * node.layout().dimensions().patternSlots() * NodeLayout.DESCRIPTOR_LENGTH;
    }

    /** Returns the bytes that a round moves. Slot 0 is at {@code start}. */
    public long bytes(Memory memory, long start) {
        final Descriptor descriptor = new Descriptor(memory);
        long bytes = 0;
        for (int slot = first; slot < first + slots - arms; slot++) {
            descriptor.wrap(start + (long) slot * NodeLayout.DESCRIPTOR_LENGTH);
            if (descriptor.isImmediate()) {
                bytes += descriptor.immediateLength();
            } else if (descriptor.operation() == Operation.MULTICAST) {
                bytes += descriptor.targets() * descriptor.length();
            } else if (movesItsLength(descriptor.operation())) {
                bytes += descriptor.length();
            }
        }
        return bytes;
    }

    private static boolean movesItsLength(int operation) {
        return operation <= Operation.SEND || operation == Operation.COPY || operation == Operation.COMBINE;
    }

    /** Returns the first few target ranks. Slot 0 is at {@code start}. */
    public String targets(Memory memory, long start) {
        final Descriptor descriptor = new Descriptor(memory);
        final TreeSet<Integer> ranks = new TreeSet<>();
        for (int slot = first; slot < first + slots - arms; slot++) {
            descriptor.wrap(start + (long) slot * NodeLayout.DESCRIPTOR_LENGTH);
            if (descriptor.operation() == Operation.MULTICAST) {
                IntStream.range(0, Math.min(descriptor.targets(), Descriptor.MAX_TARGETS))
                        .map(descriptor::targetRank)
                        .forEach(ranks::add);
            } else if (descriptor.operation() <= Operation.COUNT) {
                ranks.add(descriptor.rank());
            }
        }
        final String shown =
                ranks.stream().limit(TARGETS_SHOWN).map(Object::toString).collect(Collectors.joining(","));
        return ranks.size() <= TARGETS_SHOWN ? shown : shown + ",… " + ranks.size() + " in all";
    }
}
