package org.segno.simulator;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.collective.Call;
import org.segno.collective.CollectiveKind;
import org.segno.memory.Window;

/**
 * Part of a member's window, for the contribution and the result of one collective. All other bytes of it belong to
 * nobody and never change.
 */
final class CollectivePlace {
    private static final int GUARD = 16;
    private static final byte GUARD_BYTE = (byte) 0xA5;

    /** Value in each word of a result before a round. */
    private static final byte OLD_BYTE = 0x5A;

    /** Contributions and results begin at different distances from a multiple of eight. */
    private static final int SKEWS = 8;

    private final DrawnCall drawn;
    private final int self;
    private final Window window;
    private final long base;
    private final int sourceAt;
    private final int targetAt;
    private final boolean isInPlace;
    private final byte[] due;
    private final byte[] found;

    /**
     * Creates the place of a member at an offset of its window.
     *
     * @param inPlace true for one place for both, if the kind has that
     */
    CollectivePlace(DrawnCall drawn, int self, Window window, long base, boolean inPlace) {
        this.drawn = drawn;
        this.self = self;
        this.window = window;
        this.base = base;
        this.isInPlace =
                drawn.kind() == CollectiveKind.BROADCAST || (inPlace && drawn.kind() != CollectiveKind.ALL_TO_ALL);
        final int first = GUARD + drawn.number() % SKEWS;
        final boolean isScattered = drawn.kind() == CollectiveKind.SCATTER;
        final int own = isDividedHere() ? drawn.offset(self) : 0;
        final int behind = first + drawn.sourceBytes(self) + GUARD;
        this.sourceAt = first + (isInPlace && !isScattered ? own : 0);
        this.targetAt = isInPlace ? first + (isScattered ? own : 0) : behind;
        final int end = Math.max(sourceAt + drawn.sourceBytes(self), targetAt + drawn.targetBytes(self));
        this.due = new byte[end + GUARD];
        this.found = new byte[due.length];
    }

    /** Returns the bytes of a place for contributions and results of {@code length} bytes. */
    static int bytes(int length) {
        return 3 * GUARD + SKEWS + 2 * length;
    }

    /** Returns true if this member's place has the blocks of all, its own one among them. */
    private boolean isDividedHere() {
        return switch (drawn.kind()) {
            case GATHER, SCATTER -> self == drawn.root();
            case ALLGATHER -> true;
            default -> false;
        };
    }

    boolean isInPlace() {
        return isInPlace;
    }

    /** Returns a call with the windows of this place. */
    Call placed(Call call) {
        return call.from(window, base + sourceAt).into(window, base + targetAt);
    }

    /** Writes the contribution to a round, and what must change in it. */
    void write(byte[] contribution) {
        Arrays.fill(due, GUARD_BYTE);
        Arrays.fill(due, targetAt, targetAt + drawn.targetBytes(self), OLD_BYTE);
        System.arraycopy(contribution, 0, due, sourceAt, contribution.length);
        window.putBytes(base, new UnsafeBuffer(due), 0, due.length);
    }

    /**
     * Compares the place with what it must hold after a round.
     *
     * @return the difference in words, empty if there is none
     */
    String difference(byte[] result) {
        System.arraycopy(result, 0, due, targetAt, result.length);
        window.getBytes(base, new UnsafeBuffer(found), 0, found.length);
        final int at = Arrays.mismatch(due, found);
        return at < 0
                ? ""
                : "byte " + (at - targetAt) + " of the result's " + drawn.targetBytes(self) + " is " + found[at]
                        + ", not " + due[at];
    }
}
