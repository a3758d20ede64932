package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/**
 * Operations of the mixed workload that the target must refuse, each for the reason that applies: no right, no
 * admission, another use of the counter, no such counter. They write nothing, neither there nor here.
 */
final class MixedRefusals implements MixedPart {
    private static final String NAME = "sealed";
    private static final int BYTES = MixedLayout.SEALED_BYTES;
    private static final int UNKNOWN_COUNTER = 1 << 20;
    private static final int FIRST = 7;

    private final MixedParts parts;
    private final int rank;
    private final Window window;
    private final ReceptionCounter sealed;
    private final InjectionCounter done;
    private final List<Target> targets = new ArrayList<>();
    private final Rmw rmw = new Rmw();
    private int peer = -1;

    /** Reason of the refusal of the operation in progress. */
    private Refusal expected = Refusal.NO_SUCH_COUNTER;

    MixedRefusals(MixedParts parts) {
        this.parts = parts;
        this.rank = parts.rank();
        this.window = parts.window();
        this.done = parts.node().client().injectionCounter();
        this.sealed = parts.node()
                .client()
                .receptionCounter(window, parts.layout().sealed(), BYTES, admittedBy(rank), Right.GET);
        ExpectedBytes.write(window, parts.layout().sealed(), FIRST, BYTES);
        parts.node().client().publish(NAME, sealed);
    }

    /** Returns the only rank that may read the sealed bytes of a rank. */
    private int admittedBy(int owner) {
        return (owner + 1) % parts.layout().nodes();
    }

    @Override
    public void begin() {
        for (int other = 0; other < parts.layout().nodes(); other++) {
            final int near = parts.isNear(other) ? other : rank;
            targets.add(parts.context().attach(near, NAME, Deadline.in(60, TimeUnit.SECONDS)));
        }
    }

    /** Draws an operation at a peer, unless another is in progress. It is attempted until it is accepted. */
    BooleanSupplier draw(int to) {
        final int kind = parts.random().nextInt(5);
        return () -> !isIdle() || attempt(to, kind);
    }

    private boolean attempt(int to, int kind) {
        final Target target = targets.get(to);
        final Context context = parts.context();
        final boolean isAdmitted = admittedBy(target.rank()) == rank;
        final long at = parts.layout().refused();
        ExpectedBytes.write(window, at, FIRST + 1, BYTES);
        checkUnchanged();
        done.expect(BYTES);
        expected = isAdmitted ? Refusal.NOT_WRITABLE : Refusal.SOURCE_NOT_ADMITTED;
        final long status = switch (kind) {
            case 0 -> context.put(target, 0, window, at, BYTES, done);
            case 1 -> {
                expected = isAdmitted ? Refusal.NOT_ATOMIC : Refusal.SOURCE_NOT_ADMITTED;
                yield context.rmw(target, 0, rmw.fetchAdd(1).completes(done));
            }
            case 2 -> {
                expected = isAdmitted ? Refusal.STALE_COUNTER : Refusal.SOURCE_NOT_ADMITTED;
                // A reader that is admitted names the next use of the counter.
                yield context.get(isAdmitted ? use(target, 1) : target, 0, window, at, BYTES, done);
            }
            case 3 -> {
                expected = Refusal.STALE_COUNTER;
                yield context.put(use(target, 1), 0, window, at, BYTES, done);
            }
            default -> {
                expected = Refusal.NO_SUCH_COUNTER;
                yield context.put(
                        new Target(target.rank(), UNKNOWN_COUNTER, 0, BYTES, false), 0, window, at, BYTES, done);
            }
        };
        if (status < 0) {
            done.reset();
            return false;
        }
        peer = target.rank();
        return true;
    }

    /** Checks that nothing has changed the injection counter since the refusal of the last operation. */
    private void checkUnchanged() {
        parts.ledger().checked();
        if (done.valueAcquire() != 0 || done.errorAcquire() != 0) {
            parts.ledger().defect("an operation of rank " + rank + " has changed its counter after its refusal");
        }
    }

    private static Target use(Target target, int later) {
        return new Target(target.rank(), target.counter(), target.incarnation() + later, target.length(), false);
    }

    @Override
    public boolean isIdle() {
        if (peer < 0) {
            return true;
        }
        final long error = done.errorAcquire();
        if (error == 0 && done.valueAcquire() == BYTES) {
            return false;
        }
        parts.ledger().checked();
        if (error == 0) {
            parts.ledger().defect("rank " + rank + " has met no refusal at rank " + peer + ", but " + expected);
        } else {
            parts.ledger().checkFailed(rank, done, BYTES);
            checkCode(error);
        }
        if (parts.payload().mismatch(window, parts.layout().refused(), FIRST + 1, BYTES) >= 0) {
            parts.ledger().defect("an operation of rank " + rank + " that was refused has written there");
        }
        done.reset();
        peer = -1;
        return true;
    }

    private void checkCode(long error) {
        if (InjectionCounter.code(error) != expected.code() || InjectionCounter.rank(error) != peer) {
            parts.ledger()
                    .failed(
                            rank,
                            peer,
                            InjectionCounter.code(error) + " of rank " + InjectionCounter.rank(error) + " instead of "
                                    + expected);
        }
    }

    @Override
    public void check() {
        parts.ledger().checkValue(rank, "sealed counter", sealed.valueAcquire());
        checkUnchanged();
        if (parts.payload().mismatch(window, parts.layout().sealed(), FIRST, BYTES) >= 0) {
            parts.ledger().defect("an operation was refused and has written to rank " + rank);
        }
    }
}
