package org.segno.tools.inspect.record;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.FlagNames;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.geometry.Endpoint;
import org.segno.tools.output.Table;

/** Rows of descriptors, and checks of their words. */
public final class DescriptorRows {
    private final Table table;
    private final Broken broken;

    /** Creates an empty table named {@code list}. */
    public DescriptorRows(String list, Broken broken) {
        this.table = Table.of(
                list, "rank", "fifo", "position", "kind", "flags", "to", "from", "target", "bytes", "injectionCounter");
        this.broken = broken;
    }

    /** Returns the rows so far. */
    public Table table() {
        return table;
    }

    /** Adds the descriptor at {@code offset} in the owner's half. */
    public void add(NodeMemory node, String fifo, long position, long offset) {
        add(node.rank(), node.owner(), fifo, position, offset);
    }

    /** Adds the descriptor of {@code rank} at {@code offset} of {@code memory}. */
    public void add(int rank, Memory memory, String fifo, long position, long offset) {
        final Descriptor descriptor = new Descriptor(memory).wrap(offset);
        table.row(
                rank,
                fifo,
                position,
                Operation.name(descriptor.operation()),
                FlagNames.of(memory.getLong(offset)),
                to(descriptor),
                from(descriptor),
                target(descriptor),
                descriptor.isImmediate() ? descriptor.immediateLength() : bytes(descriptor),
                descriptor.injectionCounter() == Descriptor.NO_COUNTER
                        ? "-"
                        : Integer.toString(descriptor.injectionCounter()));
    }

    /** Checks the descriptor at {@code offset} for values that no engine would execute. */
    public void check(NodeMemory node, String where, long offset) {
        final Descriptor descriptor = new Descriptor(node.owner()).wrap(offset);
        final int operation = descriptor.operation();
        // COMBINE has a number, but no engine executes it.
        final boolean known =
                operation >= Operation.PUT && operation <= Operation.MULTICAST && operation != Operation.COMBINE;
        final int rank = node.rank();
        broken.unless(known, rank, where, "unknown operation " + operation);
        if (!known) {
            return;
        }
        final NodeDimensions d = node.layout().dimensions();
        final boolean remote = operation <= Operation.COUNT || isMulticast(descriptor);
        for (int target = 0; remote && target < targets(descriptor); target++) {
            final int to = descriptor.targetRank(target);
            broken.unless(to >= 0 && to < d.size(), rank, where, "target rank " + to + " of " + d.size());
        }
        broken.unless(
                !isMulticast(descriptor) || targets(descriptor) == descriptor.targets(),
                rank,
                where,
                descriptor.targets() + " targets of 1 to " + Descriptor.MAX_TARGETS);
        broken.unless(
                descriptor.reserved() == 0,
                rank,
                where,
                "reserved field 0x" + Integer.toHexString(descriptor.reserved()) + " must be 0");
        final int counter = descriptor.injectionCounter();
        broken.unless(
                counter >= Descriptor.NO_COUNTER && counter < d.injectionCounters(),
                rank,
                where,
                "injection counter " + counter + " of " + d.injectionCounters());
        if (hasSource(descriptor)) {
            checkSource(node, where, descriptor);
        }
    }

    private void checkSource(NodeMemory node, String where, Descriptor descriptor) {
        final long length = descriptor.isSourceCounter()
                ? counterLength(node, descriptor.sourceOperand())
                : new WindowTable(node).open(descriptor.sourceOperand());
        final long from = descriptor.sourceOffset();
        final long bytes = descriptor.length();
        broken.unless(
                length != WindowTable.NO_WINDOW && from >= 0 && bytes >= 0 && from <= length - bytes,
                node.rank(),
                where,
                "source " + from + " + " + bytes + " bytes is outside " + source(descriptor) + " of " + length
                        + " bytes");
    }

    private static long counterLength(NodeMemory node, int operand) {
        final int counter = Descriptor.operandCounter(operand);
        return counter < node.layout().dimensions().receptionCounters()
                ? CounterSettings.limit(node.owner(), node.counterSettingsOffset(counter))
                : WindowTable.NO_WINDOW;
    }

    private static String source(Descriptor descriptor) {
        return (descriptor.isSourceCounter() ? "counter " : "region ")
                + WindowTable.entryOf(descriptor.sourceOperand());
    }

    private static boolean isMulticast(Descriptor descriptor) {
        return descriptor.operation() == Operation.MULTICAST;
    }

    /** Returns the number of targets, limited to the valid range because the descriptor is untrusted. */
    private static int targets(Descriptor descriptor) {
        return isMulticast(descriptor) ? Math.min(Math.max(1, descriptor.targets()), Descriptor.MAX_TARGETS) : 1;
    }

    private static boolean hasSource(Descriptor descriptor) {
        return switch (descriptor.operation()) {
            case Operation.PUT -> !descriptor.has(Descriptor.IN_PLACE);
            case Operation.COPY -> true;
            case Operation.SEND, Operation.MULTICAST -> !descriptor.isImmediate() && descriptor.length() != 0;
            default -> false;
        };
    }

    private static long bytes(Descriptor descriptor) {
        return switch (descriptor.operation()) {
            case Operation.COUNT, Operation.ARM, Operation.WAIT -> 0;
            case Operation.RMW -> Long.BYTES;
            default -> descriptor.length();
        };
    }

    private static String to(Descriptor descriptor) {
        return switch (descriptor.operation()) {
            case Operation.SEND, Operation.MULTICAST ->
                IntStream.range(0, targets(descriptor))
                        .mapToObj(target -> descriptor.targetRank(target) + ":"
                                + Endpoint.contextOf(descriptor.targetContext(target)))
                        .collect(Collectors.joining(" "));
            case Operation.WAIT, Operation.COMBINE, Operation.COPY, Operation.ARM -> "-";
            default -> Integer.toString(descriptor.rank());
        };
    }

    private static String from(Descriptor descriptor) {
        if (descriptor.isImmediate()) {
            return "the descriptor";
        }
        if (descriptor.operation() == Operation.PUT && descriptor.has(Descriptor.IN_PLACE)) {
            return "in place";
        }
        if (descriptor.operation() == Operation.REMOTE_GET) {
            final boolean counter = descriptor.has(Descriptor.INTO_COUNTER);
            final int place = descriptor.sourceOperand();
            return "into " + (counter ? "counter " + place : "region " + WindowTable.entryOf(place)) + "+"
                    + descriptor.sourceOffset();
        }
        return hasSource(descriptor) ? source(descriptor) + "+" + descriptor.sourceOffset() : "-";
    }

    private static String target(Descriptor descriptor) {
        return switch (descriptor.operation()) {
            case Operation.PUT, Operation.REMOTE_GET, Operation.RMW ->
                "counter " + descriptor.target() + "+" + descriptor.targetOffset();
            case Operation.SEND, Operation.MULTICAST -> "dispatch " + descriptor.dispatchId();
            case Operation.COUNT, Operation.ARM, Operation.WAIT ->
                (descriptor.has(Descriptor.INJECTION) ? "injection counter " : "counter ") + descriptor.target()
                        + " by " + descriptor.amount();
            case Operation.COPY, Operation.COMBINE ->
                (descriptor.has(Descriptor.TARGET_COUNTER) ? "counter " : "region ")
                        + WindowTable.entryOf(descriptor.target()) + "+" + descriptor.targetOffset();
            default -> "-";
        };
    }
}
