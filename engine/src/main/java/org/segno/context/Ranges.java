package org.segno.context;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerTable;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Operand;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.operation.OperationAccess;

/** Checks of the ranks and ranges that an application passes to the operations of one node. */
final class Ranges {
    private final NodeMemory node;
    private final PeerTable peers;
    private final UserOperators operators;
    private final int ranks;
    private final Memory arena;
    private final Memory values;

    Ranges(NodeMemory node, PeerTable peers, UserOperators operators) {
        this.operators = operators;
        this.node = node;
        this.peers = peers;
        this.ranks = peers.size();
        this.arena = node.arena();
        this.values = node.values();
    }

    /** Returns the number of ranks in the job. */
    int ranks() {
        return ranks;
    }

    void requireRank(int rank) {
        if (rank < 0 || rank >= ranks) {
            throw new IllegalArgumentException("rank must be 0 to " + (ranks - 1) + ": rank=" + rank
                    + (rank == -1 ? "; a message gets its target from Message.to" : ""));
        }
    }

    /** Checks a PUT from a range of an operand to a range of a target. */
    void requirePut(
            Target target,
            long targetOffset,
            Operand source,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        if (source instanceof Window window) {
            requireCopy(target, targetOffset, window, offset, length, counter);
            return;
        }
        requireRank(target.rank());
        MemoryAccess.requireOperand(source, node, "source", offset, length);
        if (counter != null) {
            counter.requireOf(node);
        }
        requireTarget(target, targetOffset, length);
    }

    /** Checks a range of a target. */
    void requireTarget(Target target, long targetOffset, long length) {
        requireRank(target.rank());
        if (targetOffset < 0 || targetOffset > target.length() - length) {
            throw outside(target, targetOffset, length);
        }
    }

    /** Checks a copy between a range of a window and a range of a target. */
    void requireCopy(
            Target target,
            long targetOffset,
            Window window,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        if (!admitsCopy(target, targetOffset, window, offset, length, counter)) {
            throw invalid(target, targetOffset, window, offset, length, counter);
        }
    }

    /** Returns true if a copy between a range of a window and a range of a target is valid. Nowhere is no rank. */
    boolean admitsCopy(
            Target target,
            long targetOffset,
            Window window,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        return MemoryAccess.contains(window, offset, length)
                && targetOffset >= 0
                && targetOffset <= target.length() - length
                && target.rank() < ranks
                && MemoryAccess.isIn(window, arena)
                && (counter == null || MemoryAccess.isIn(counter, values));
    }

    private IllegalArgumentException invalid(
            Target target,
            long targetOffset,
            Window window,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        requireRank(target.rank());
        MemoryAccess.requireOf(window, node);
        MemoryAccess.requireRange(window, "window", offset, length);
        if (counter != null) {
            counter.requireOf(node);
        }
        return outside(target, targetOffset, length);
    }

    /** Checks a copy from a range of a target to a range of {@code placeLength} bytes behind a counter. */
    void requireGet(
            Target source,
            long sourceOffset,
            long placeLength,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        requireRank(source.rank());
        if (counter != null) {
            counter.requireOf(node);
        }
        requireLanding(placeLength, offset, length);
        if (sourceOffset < 0 || sourceOffset > source.length() - length) {
            throw outside(source, sourceOffset, length);
        }
    }

    /** Checks a range of {@code placeLength} bytes behind a counter. */
    static void requireLanding(long placeLength, long offset, long length) {
        if (length < 0 || offset < 0 || offset > placeLength - length) {
            throw new IllegalArgumentException("landing range [" + offset + ", " + offset + " + " + length
                    + ") lies outside the counter's " + placeLength + " bytes");
        }
    }

    /** Checks a combination of ranges of two or three operands. */
    void requireCombine(
            Operand source, long sourceOffset, Operand target, long targetOffset, long length, Combine how) {
        requireLocal(source, sourceOffset, target, targetOffset, length);
        OperationAccess.requireOf(Objects.requireNonNull(how, "how"), node, length);
        final Operand third = OperationAccess.third(how);
        if (third != null) {
            final long thirdOffset = OperationAccess.thirdOffset(how);
            requireApart(third, thirdOffset, source, sourceOffset, length);
            requireApart(third, thirdOffset, target, targetOffset, length);
        }
        final int number = OperationAccess.userOperator(how);
        if (number >= 0 && operators.get(number) == null) {
            throw new IllegalStateException(
                    "no user operator has this number, call Client.operator first: number=" + number);
        }
    }

    /** Checks a copy between ranges of two operands of this node. */
    void requireLocal(Operand source, long sourceOffset, Operand target, long targetOffset, long length) {
        MemoryAccess.requireOperand(source, node, "source", sourceOffset, length);
        MemoryAccess.requireOperand(target, node, "target", targetOffset, length);
        requireApart(source, sourceOffset, target, targetOffset, length);
    }

    /** Checks that two ranges of one operand are equal or do not overlap. */
    private static void requireApart(Operand one, long offset, Operand other, long otherOffset, long length) {
        final long distance = Math.abs(offset - otherOffset);
        if (one.equals(other) && distance != 0 && distance < length) {
            throw new IllegalArgumentException("two ranges of " + length + " bytes at " + offset + " and " + otherOffset
                    + " of " + one + " overlap and are not equal");
        }
    }

    /** Checks an access to one 64-bit word of a target. */
    void requireWord(Target target, long targetOffset) {
        if (targetOffset < 0 || targetOffset > target.length() - Long.BYTES || target.rank() >= ranks) {
            requireRank(target.rank());
            throw outside(target, targetOffset, Long.BYTES);
        }
    }

    private IllegalArgumentException outside(Target target, long targetOffset, long length) {
        return new IllegalArgumentException("target range [" + targetOffset + ", " + targetOffset + " + " + length
                + ") lies outside the " + target.length() + " bytes of " + describe(target));
    }

    /** Describes a target by its number, its owner, and the name under which it is published. */
    String describe(Target target) {
        requireRank(target.rank());
        return (target.alternate() ? "counter pair " : "reception counter ") + target.counter()
                + peers.get(target.rank()).quotedNameOf(target.counter(), target.incarnation())
                + " of rank " + target.rank();
    }
}
