package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.status.Deadline;

/**
 * The counter of each node that is disabled, and enabled again with another range, while peers send PUTs to its first
 * use. These must land there or be refused, and the range of later uses remains empty.
 */
final class MixedDoor implements MixedPart {
    private static final String NAME = "door";
    private static final int MOST_USES = 2;

    private final MixedParts parts;
    private final ReceptionCounter counter;
    private final InjectionCounter done;
    private final List<Target> doors = new ArrayList<>();
    private int peer = -1;

    /** True if the door of the peer was closed before the PUT in progress began. */
    private boolean wasClosed;

    private boolean isDisabled;
    private int uses;

    MixedDoor(MixedParts parts) {
        this.parts = parts;
        this.counter = parts.node()
                .client()
                .receptionCounter(
                        parts.window(),
                        parts.layout().door(),
                        parts.layout().doorBytes(),
                        ReceptionCounter.ANYBODY,
                        Right.PUT);
        this.done = parts.node().client().injectionCounter();
        parts.node().client().publish(NAME, counter);
    }

    @Override
    public void begin() {
        for (int other = 0; other < parts.layout().nodes(); other++) {
            final int near = parts.isNear(other) ? other : parts.rank();
            doors.add(parts.context().attach(near, NAME, Deadline.in(60, TimeUnit.SECONDS)));
        }
    }

    /** Returns true if no PUT is in progress, and checks one that has ended. */
    @Override
    public boolean isIdle() {
        if (peer < 0) {
            return true;
        }
        final long error = done.errorAcquire();
        if (error == 0 && done.valueAcquire() > 0) {
            return false;
        }
        parts.ledger().checked();
        if (error != 0) {
            parts.ledger().checkFailed(parts.rank(), done, Long.BYTES);
        }
        if (error == 0 && wasClosed) {
            parts.ledger().defect("rank " + parts.rank() + " has put to a closed counter of rank " + peer);
        } else if (error != 0 && !parts.ledger().isClosed(peer)) {
            parts.ledger().failed(parts.rank(), peer, "a put to the door: " + InjectionCounter.code(error));
        }
        done.reset();
        peer = -1;
        return true;
    }

    /** Sends a PUT to the door of a peer, unless another is in progress. Returns false while that is not possible. */
    boolean put(int to) {
        if (!isIdle()) {
            return false;
        }
        final long source = parts.layout().source(0);
        done.expect(Long.BYTES);
        final long offset = (long) parts.rank() * Long.BYTES;
        if (parts.context().put(doors.get(to), offset, parts.window(), source, Long.BYTES, done) < 0) {
            done.reset();
            return false;
        }
        peer = to;
        wasClosed = parts.ledger().isClosed(to);
        return true;
    }

    /** Disables the own door and enables it again, with another range. Returns false until that is done. */
    boolean reopen() {
        if (uses == MOST_USES) {
            return true;
        }
        if (!isDisabled) {
            counter.disable();
            parts.ledger().close(parts.rank());
            isDisabled = true;
        }
        final long status = parts.node()
                .client()
                .enable(
                        counter,
                        parts.window(),
                        parts.layout().closed(),
                        parts.layout().doorBytes(),
                        ReceptionCounter.ANYBODY,
                        Right.PUT);
        isDisabled = status < 0;
        uses += isDisabled ? 0 : 1;
        return !isDisabled;
    }

    /** Checks that nothing has landed in the range of later uses. */
    @Override
    public void check() {
        for (int i = 0; i < parts.layout().doorBytes(); i++) {
            if (parts.window().getByte(parts.layout().closed() + i) != 0) {
                parts.ledger().defect("a stale put has landed at a later use of a counter of rank " + parts.rank());
                return;
            }
        }
    }
}
