package org.segno.tools.inspect.record;

import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.segno.descriptor.Descriptor;
import org.segno.descriptor.Operation;
import org.segno.memory.Memory;
import org.segno.memory.NodeDimensions;
import org.segno.memory.NodeLayout;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;
import org.segno.pattern.PatternEntry;
import org.segno.tools.output.Table;

/**
 * What stands in the node's file of a recorded pattern.
 *
 * @param id under which it was recorded, below zero where it was only prepared
 * @param first slot of its section
 * @param slots of its section
 * @param arms among them
 * @param rounds what keeps its rounds apart, or {@link PatternEntry#NONE}: no pattern
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

    /** A table of patterns, of a job or of a file. */
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

    /** True if there is such a pattern. */
    public boolean exists() {
        return rounds != PatternEntry.NONE;
    }

    /** What keeps its rounds apart, in words. */
    public String roundsName() {
        return rounds == PatternEntry.ALTERNATE ? "alternate" : "ordered by caller";
    }

    /** True if its section is one of the node's. */
    public boolean isPossible(NodeDimensions d) {
        return (rounds == PatternEntry.ORDERED_BY_CALLER || rounds == PatternEntry.ALTERNATE)
                && first >= 0
                && slots > 0
                && slots <= d.patternSlots() - first
                && arms >= 0
                && arms <= slots;
    }

    /** Where slot 0 of a context's pattern buffer lies in the owner's half. */
    public static long start(NodeMemory node, int context) {
        return node.layout().offset(Part.PATTERN_BUFFER)
                + (long) context * node.layout().dimensions().patternSlots() * NodeLayout.DESCRIPTOR_LENGTH;
    }

    /** Bytes that a round moves; slot 0 lies at {@code start}. */
    public long bytes(Memory memory, long start) {
        final Descriptor descriptor = new Descriptor(memory);
        long bytes = 0;
        for (int slot = first; slot < first + slots - arms; slot++) {
            descriptor.wrap(start + (long) slot * NodeLayout.DESCRIPTOR_LENGTH);
            final boolean immediate =
                    descriptor.operation() == Operation.SEND && (descriptor.flags() & Descriptor.IMMEDIATE) != 0;
            if (immediate) {
                bytes += descriptor.immediateLength();
            } else if (descriptor.operation() == Operation.MULTICAST) {
                bytes += descriptor.targets() * descriptor.length();
            } else if (descriptor.operation() <= Operation.SEND || descriptor.operation() == Operation.COPY) {
                bytes += descriptor.length();
            }
        }
        return bytes;
    }

    /** The ranks that it names, the first few of them; slot 0 lies at {@code start}. */
    public String targets(Memory memory, long start) {
        final Descriptor descriptor = new Descriptor(memory);
        final TreeSet<Integer> ranks = new TreeSet<>();
        for (int slot = first; slot < first + slots - arms; slot++) {
            descriptor.wrap(start + (long) slot * NodeLayout.DESCRIPTOR_LENGTH);
            if (descriptor.operation() == Operation.MULTICAST) {
                IntStream.range(0, Math.min(descriptor.targets(), Descriptor.MAX_TARGETS))
                        .map(descriptor::rank)
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
