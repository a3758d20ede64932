package org.segno.collective;

import org.jspecify.annotations.Nullable;
import org.segno.memory.Window;

/** Checks of the arguments of a call at one member. */
final class Arguments {
    private Arguments() {}

    /** Returns the shape of a call, without checks. */
    static Shape shape(Call call, Member member, @Nullable BlockOffsets offsets) {
        final Reduction reduction = call.reduction();
        final int element = reduction == null ? 1 : reduction.type().length();
        final boolean inPlace =
                call.source() != null && call.source() == call.target() && call.sourceOffset() == call.targetOffset();
        return new Shape(
                call.kind(),
                member.hosts().members(),
                member.number(),
                call.root(),
                call.lengths(),
                offsets,
                element,
                member.isOrdered(reduction),
                member.hosts(),
                inPlace);
    }

    /** Returns offsets of an all-to-all with different lengths, for checks and lengths; otherwise null. */
    static @Nullable BlockOffsets unknownOffsets(Call call, int members) {
        return call.received() == null ? null : BlockOffsets.unknown(call.received(), members);
    }

    /**
     * Checks the arguments of this member, and returns the shape of the call.
     *
     * @throws IllegalArgumentException if one is invalid; the message names it
     */
    static Shape requireValid(Call call, Member caller, @Nullable BlockOffsets offsets) {
        final int members = caller.hosts().members();
        final int self = caller.number();
        requireLengths(call, members);
        if (call.root() < 0 || call.root() >= members) {
            throw new IllegalArgumentException(
                    "the root must be a member, 0 to " + (members - 1) + ": root=" + call.root());
        }
        final Shape shape = shape(call, caller, offsets);
        for (int member = 0; member < members; member++) {
            if (shape.length(member) % shape.element() != 0) {
                throw new IllegalArgumentException("a reduction needs whole elements of " + shape.element()
                        + " bytes: bytes=" + shape.length(member));
            }
        }
        final long sourceBytes = call.sourceBytes(self, members);
        final long targetBytes = call.targetBytes(self, members);
        if (call.source() != null || call.target() != null) {
            requirePlace("source", call.source(), call.sourceOffset(), sourceBytes);
            requirePlace("target", call.target(), call.targetOffset(), targetBytes);
        }
        requireApart(call, self, sourceBytes, targetBytes);
        return shape;
    }

    /** Checks the lengths of the blocks of a call. */
    static void requireLengths(Call call, int members) {
        call.lengths().requireOf(members, call.kind().isDivided());
        if (call.received() != null) {
            call.received().requireOf(members, true);
        }
    }

    private static void requirePlace(String role, @Nullable Window window, long offset, long bytes) {
        if (bytes == 0) {
            return;
        }
        if (window == null) {
            throw new IllegalArgumentException("this member needs a " + role + " of " + bytes
                    + " bytes: set it, or none of the two for memory of the collective");
        }
        if (window.isClosed()) {
            throw new IllegalArgumentException("the window of the " + role + " is closed: " + window);
        }
        if (offset < 0 || bytes > window.length() || offset > window.length() - bytes) {
            throw new IllegalArgumentException("the " + role + " must lie inside its window of " + window.length()
                    + " bytes: offset=" + offset + " bytes=" + bytes);
        }
    }

    /** Checks that the contribution and the result do not overlap, unless the kind allows it. */
    private static void requireApart(Call call, int self, long sourceBytes, long targetBytes) {
        if (call.source() == null || call.source() != call.target() || sourceBytes == 0 || targetBytes == 0) {
            return;
        }
        final long sourceAt = call.sourceOffset();
        final long targetAt = call.targetOffset();
        final boolean inPlace = switch (call.kind()) {
            case GATHER, ALLGATHER -> sourceAt == targetAt + call.lengths().offset(self);
            case SCATTER -> targetAt == sourceAt + call.lengths().offset(self);
            default -> sourceAt == targetAt;
        };
        if (!inPlace && sourceAt < targetAt + targetBytes && targetAt < sourceAt + sourceBytes) {
            throw new IllegalArgumentException("the source and the target of " + call + " overlap: sourceOffset="
                    + sourceAt + " targetOffset=" + targetAt);
        }
    }
}
