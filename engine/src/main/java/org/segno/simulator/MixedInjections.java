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
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;

/**
 * PUTs, REMOTE_GETs, SENDs, immediate SENDs and RMWs of a context in the mixed workload, with the counter that they
 * go to. Each draw returns an operation that is attempted until it is accepted.
 */
final class MixedInjections implements MixedPart {
    private static final String COUNTER = "in";
    private static final int LONGEST_PAYLOAD = MixedLayout.LONGEST_MESSAGE - MixedLayout.FIELD_BYTES;
    private static final int START_BYTES = 1 << 16;

    /** First byte of each gap of the window. */
    private static final int GAP_BYTE = 0xA5;

    private final MixedParts parts;
    private final int rank;
    private final MixedLayout layout;
    private final Context context;
    private final Window window;
    private final ReceptionCounter in;
    private final long start;
    private final List<Target> targets = new ArrayList<>();
    private final MixedCompletions completions;
    private final Message message = new Message();
    private final Rmw rmw = new Rmw();
    private int usedSources;

    /** Creates the operations. The counter's value begins near {@code wrap}. */
    MixedInjections(MixedParts parts, MixedCompletions completions, long wrap) {
        this.parts = parts;
        this.rank = parts.rank();
        this.layout = parts.layout();
        this.context = parts.context();
        this.window = parts.window();
        this.completions = completions;
        this.in = parts.node()
                .client()
                .receptionCounter(
                        window, 0, layout.counterBytes(), ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        // A reception counter accepts no value near the wrap of 64 bits.
        this.start = wrap == 0 ? 0 : wrap + parts.random().nextInt(START_BYTES);
        in.expect(start);
        ExpectedBytes.write(window, layout.constant(), ExpectedBytes.ofConstant(rank, 0), MixedLayout.CONSTANT_BYTES);
        window.getBytes(
                layout.constant(), parts.ledger().window(rank), (int) layout.constant(), MixedLayout.CONSTANT_BYTES);
        for (final long gap : layout.gaps()) {
            ExpectedBytes.write(window, gap, GAP_BYTE, MixedLayout.GAP);
        }
        parts.ledger().held(rank, window);
        parts.node().client().publish(COUNTER, in);
    }

    @Override
    public void begin() {
        for (int peer = 0; peer < layout.nodes(); peer++) {
            // The others are not used.
            final int near = parts.isNear(peer) ? peer : rank;
            targets.add(context.attach(near, COUNTER, Deadline.in(60, TimeUnit.SECONDS)));
        }
    }

    /** Returns the targets of all ranks, which are known once this has begun. */
    List<Target> targets() {
        return targets;
    }

    /** Returns the id of the own counter. */
    int counter() {
        return in.id();
    }

    /** Returns true if no operation can be drawn before all sources are free. */
    boolean isFull() {
        return usedSources == MixedLayout.SOURCES;
    }

    /** Returns the offset of a source that nothing uses. */
    long takeSource() {
        return layout.source(usedSources++);
    }

    /** Frees all sources. Returns true if any was used. */
    boolean freeSources() {
        final boolean wasUsed = usedSources > 0;
        usedSources = 0;
        return wasUsed;
    }

    BooleanSupplier put(int peer) {
        final int slot = parts.random().nextInt(MixedPattern.MESSENGER_SLOT);
        final int length = 1 + parts.random().nextInt(parts.atMost(MixedLayout.SLOT_BYTES));
        final long source = takeSource();
        ExpectedBytes.write(window, source, parts.random().nextInt(256), length);
        final InjectionCounter done = completions.expectPut(peer, length);
        return () -> {
            if (context.put(targets.get(peer), parts.slot(slot), window, source, length, done) < 0) {
                return false;
            }
            completions.put(done, peer, slot, source, length);
            return true;
        };
    }

    BooleanSupplier get(int peer) {
        final int length = 1 + parts.random().nextInt(parts.atMost(MixedLayout.CONSTANT_BYTES));
        final int from = parts.random().nextInt(MixedLayout.CONSTANT_BYTES - length + 1);
        final long into = takeSource();
        // Bytes of an earlier operation must not pass for fetched ones.
        ExpectedBytes.write(window, into, ExpectedBytes.ofConstant(peer, from) ^ 0x80, length);
        final InjectionCounter done = completions.expect(peer, length);
        completions.fetched(peer, from, into, length);
        return () -> context.get(targets.get(peer), layout.constant() + from, window, into, length, done) >= 0;
    }

    BooleanSupplier send(int peer) {
        final int length = parts.random().nextInt(parts.atMost(LONGEST_PAYLOAD) + 1);
        final long source = takeSource();
        final InjectionCounter done = completions.expect(peer, length);
        return () -> {
            // Its number may change between attempts: requests of a burst precede it.
            final long number = parts.writeFields(peer, Ledger.MESSAGES, length);
            ExpectedBytes.write(window, source, ExpectedBytes.ofMessage(rank, number), length);
            message.to(peer, MixedReceiver.MESSAGE)
                    .metadata(parts.fields(), 0, MixedLayout.FIELD_BYTES)
                    .payload(window, source, length);
            if (context.send(message.completes(done)) < 0) {
                return false;
            }
            parts.ledger().sent(rank, peer, Ledger.MESSAGES);
            if (length > 0) {
                completions.sent(peer, number + 1);
            }
            return true;
        };
    }

    boolean sendImmediate(int peer, int dispatchId) {
        parts.writeFields(peer, Ledger.MESSAGES, 0);
        if (context.sendImmediate(peer, dispatchId, parts.fields(), 0, MixedLayout.FIELD_BYTES) < 0) {
            return false;
        }
        parts.ledger().sent(rank, peer, Ledger.MESSAGES);
        return true;
    }

    BooleanSupplier change(int peer) {
        final int amount = parts.random().nextInt(1_000);
        final InjectionCounter done = completions.expect(peer, Rmw.LENGTH);
        return () -> {
            rmw.fetchAdd(amount).completes(done);
            if (context.rmw(targets.get(peer), layout.word(rank), rmw) < 0) {
                return false;
            }
            final int word = (int) layout.word(rank);
            parts.ledger()
                    .window(peer)
                    .putLong(word, parts.ledger().window(peer).getLong(word) + amount);
            completions.changed(peer);
            return true;
        };
    }

    @Override
    public boolean isIdle() {
        return usedSources == 0;
    }

    /** Compares the window and the counter with what the ledger has. */
    @Override
    public void check() {
        parts.ledger().checkWindow(rank, window, layout);
        for (final long gap : layout.gaps()) {
            final int offset = parts.payload().mismatch(window, gap, GAP_BYTE, MixedLayout.GAP);
            if (offset >= 0) {
                parts.ledger()
                        .defect("the window of rank " + rank + " was written to at " + (gap + offset)
                                + ", between its parts");
            }
        }
        parts.ledger().checkCounter(rank, Ledger.WINDOW, start - in.valueAcquire());
    }
}
