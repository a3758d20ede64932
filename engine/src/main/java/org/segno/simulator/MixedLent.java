package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;

/**
 * Windows and injection counters in the mixed workload that are closed at once after an operation that uses them. Those
 * that are opened next must not be changed by it, nor it by them.
 */
final class MixedLent implements MixedPart {
    private static final int EXPECTED = 1;

    private final MixedParts parts;
    private final List<Target> targets;
    private final List<Closing> closings = new ArrayList<>();
    private @Nullable Window next;
    private @Nullable InjectionCounter nextCounter;
    private int first;

    /** True from an operation to the opening of what comes after it. */
    private boolean isLent;

    MixedLent(MixedParts parts, List<Target> targets) {
        this.parts = parts;
        this.targets = targets;
    }

    /** Draws a PUT or a GET with a peer, unless another is in progress. It is attempted until it is accepted. */
    BooleanSupplier use(int peer, int slot) {
        final boolean isPut = parts.random().nextBoolean();
        final int length = parts.random().nextInt(1, parts.atMost(MixedLayout.LENT_BYTES) + 1);
        final int byteBefore = parts.random().nextInt(256);
        return () -> !isIdle() || closedNext() || attempt(peer, slot, isPut ? length : -length, byteBefore);
    }

    /** Attempts a PUT of bytes, or a GET of them if their number is negative. */
    private boolean attempt(int peer, int slot, int bytes, int byteBefore) {
        final Client client = parts.node().client();
        final Window window = parts.arena().open(MixedLayout.LENT_BYTES);
        final InjectionCounter counter = client.injectionCounter();
        ExpectedBytes.write(window, 0, byteBefore, MixedLayout.LENT_BYTES);
        counter.expect(Math.abs(bytes));
        final long offset = parts.slot(slot);
        final long status = bytes > 0
                ? parts.context().put(targets.get(peer), offset, window, 0, bytes, counter)
                : parts.context().get(targets.get(peer), parts.layout().constant(), window, 0, -bytes, counter);
        if (status >= 0 && bytes > 0) {
            parts.put(peer, slot, window, 0, bytes);
        }
        closings.add(client.close(window));
        closings.add(client.close(counter));
        isLent = true;
        return status >= 0;
    }

    /** Opens the next window and counter as soon as those of the last operation are closed. */
    void openNext() {
        if (!isLent || !isIdle()) {
            return;
        }
        isLent = false;
        final Client client = parts.node().client();
        final Window opened = parts.arena().open(MixedLayout.LENT_BYTES);
        final InjectionCounter expecting = client.injectionCounter();
        first = parts.random().nextInt(256);
        ExpectedBytes.write(opened, 0, first, MixedLayout.LENT_BYTES);
        expecting.expect(EXPECTED);
        next = opened;
        nextCounter = expecting;
    }

    @Override
    public boolean isIdle() {
        closings.removeIf(Closing::isDone);
        return closings.isEmpty();
    }

    /** Checks and closes what was opened after the last operation. Returns false if there is nothing. */
    private boolean closedNext() {
        final Window opened = next;
        final InjectionCounter expecting = nextCounter;
        if (opened == null || expecting == null) {
            return false;
        }
        check();
        closings.add(parts.node().client().close(opened));
        closings.add(parts.node().client().close(expecting));
        next = null;
        nextCounter = null;
        return true;
    }

    /** Checks the window and the counter that were opened after the last operation. */
    @Override
    public void check() {
        final Window opened = next;
        final InjectionCounter expecting = nextCounter;
        if (opened == null || expecting == null) {
            return;
        }
        parts.ledger().checked();
        if (expecting.valueAcquire() != EXPECTED || expecting.errorAcquire() != 0) {
            parts.ledger().defect("an injection counter of rank " + parts.rank() + " has changed by an earlier use");
        }
        if (parts.payload().mismatch(opened, 0, first, MixedLayout.LENT_BYTES) >= 0) {
            parts.ledger().defect("a window of rank " + parts.rank() + " was written to by an earlier use");
        }
    }
}
