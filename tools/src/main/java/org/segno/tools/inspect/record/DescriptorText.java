package org.segno.tools.inspect.record;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.WindowTable;
import org.segno.geometry.Endpoint;

/** Fields of a descriptor as text. The descriptor is not trusted. */
public final class DescriptorText {
    private DescriptorText() {}

    static boolean isMulticast(Descriptor descriptor) {
        return descriptor.operation() == Operation.MULTICAST;
    }

    /** Returns the number of targets, limited to the valid range because the descriptor is untrusted. */
    static int targets(Descriptor descriptor) {
        return isMulticast(descriptor) ? Math.min(Math.max(1, descriptor.targets()), Descriptor.MAX_TARGETS) : 1;
    }

    static boolean hasSource(Descriptor descriptor) {
        return switch (descriptor.operation()) {
            case Operation.PUT -> !descriptor.has(Descriptor.IN_PLACE);
            case Operation.COPY, Operation.COMBINE -> true;
            case Operation.SEND, Operation.MULTICAST -> !descriptor.isImmediate() && descriptor.length() != 0;
            default -> false;
        };
    }

    /** Returns the number of bytes that the descriptor moves to each target. */
    public static long bytes(Descriptor descriptor) {
        if (descriptor.isImmediate()) {
            return descriptor.immediateLength();
        }
        return switch (descriptor.operation()) {
            case Operation.COUNT, Operation.ARM, Operation.WAIT -> 0;
            case Operation.RMW -> Long.BYTES;
            default -> descriptor.length();
        };
    }

    /** Returns the rank, or of a message the ranks and contexts, to which it goes; - for a local one. */
    public static String to(Descriptor descriptor) {
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

    /** Returns the source, or of a get the place where its data land; - for one without. */
    public static String from(Descriptor descriptor) {
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

    /** Returns the counter, the dispatch id, or the local target. */
    public static String target(Descriptor descriptor) {
        return switch (descriptor.operation()) {
            case Operation.PUT, Operation.REMOTE_GET, Operation.RMW ->
                "counter " + descriptor.target() + "+" + descriptor.targetOffset();
            case Operation.SEND, Operation.MULTICAST -> "dispatch " + descriptor.dispatchId();
            case Operation.COUNT, Operation.ARM, Operation.WAIT ->
                (descriptor.has(Descriptor.INJECTION) ? "injection counter " : "counter ") + descriptor.target()
                        + " by " + descriptor.amount() + round(descriptor);
            case Operation.COPY, Operation.COMBINE ->
                (descriptor.has(Descriptor.TARGET_COUNTER) ? "counter " : "region ")
                        + WindowTable.entryOf(descriptor.target()) + "+" + descriptor.targetOffset();
            default -> "-";
        };
    }

    /** Returns by how much the value of a WAIT is lower in each round of its counter. */
    private static String round(Descriptor descriptor) {
        final boolean isLower = descriptor.operation() == Operation.WAIT && descriptor.has(Descriptor.CUMULATIVE);
        return isLower ? " less " + descriptor.length() + " a round" : "";
    }

    static String source(Descriptor descriptor) {
        return (descriptor.isSourceCounter() ? "counter " : "region ")
                + WindowTable.entryOf(descriptor.sourceOperand());
    }
}
