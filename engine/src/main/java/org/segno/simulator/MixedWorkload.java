package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
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
 * Random PUTs, REMOTE_GETs, SENDs of all lengths, immediate SENDs, requests with replies, RMWs, recordings, replays and
 * counters that are used again, between all ranks. The ledger has what each of them must cause.
 */
final class MixedWorkload implements SimulatedProgram {
    private static final Kind[] FREQUENT = {
        Kind.PUT, Kind.GET, Kind.SEND, Kind.IMMEDIATE, Kind.REQUEST, Kind.RMW, Kind.REPLAY, Kind.MESSAGE
    };
    private static final Kind[] RARE = {Kind.RECORD, Kind.DOOR, Kind.REOPEN, Kind.MESSENGER_PUT};
    private static final int RARITY = 32;

    /** Kinds of events from it on are operations. */
    private static final int FIRST_OPERATION = 100;

    private static final String COUNTER = "in";
    private static final int LONGEST_PAYLOAD = MixedLayout.LONGEST_MESSAGE - MixedLayout.FIELD_BYTES;
    private static final int START_BYTES = 1 << 16;
    private static final int START_ROUNDS = 8;
    private static final int HOTSPOT_SHARE = 4;

    private final SimulationPlan plan;
    private final MixedParts parts;
    private final int rank;
    private final MixedLayout layout;
    private final Ledger ledger;
    private final SplittableRandom random;
    private final Context context;
    private final Window window;
    private final ReceptionCounter in;
    private final long start;
    private final List<Target> targets = new ArrayList<>();
    private final MixedPattern pattern;
    private final MixedDoor door;
    private final MixedMessenger messenger;
    private final MixedCompletions completions;
    private final Message message = new Message();
    private final Rmw rmw = new Rmw();
    private @Nullable BooleanSupplier attempt;
    private int remaining;
    private int usedSources;

    private enum Kind {
        PUT,
        GET,
        SEND,
        IMMEDIATE,
        REQUEST,
        RMW,
        REPLAY,
        MESSAGE,
        MESSENGER_PUT,
        RECORD,
        DOOR,
        REOPEN;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** Number of its events, the same on every JDK. */
        private final int event = FIRST_OPERATION + (name().hashCode() & 0xFFFF);
    }

    MixedWorkload(SimulationPlan plan, MixedParts parts, int operations) {
        this.plan = plan;
        this.parts = parts;
        this.rank = parts.rank();
        this.layout = parts.layout();
        this.ledger = parts.ledger();
        this.random = parts.random();
        this.remaining = operations;
        this.context = parts.context();
        this.window = parts.window();
        this.in = parts.node()
                .client()
                .receptionCounter(
                        window, 0, layout.counterBytes(), ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        // A reception counter accepts no value near the wrap of 64 bits.
        this.start = plan.has(Fault.WRAP) ? wrap(random) + random.nextInt(START_BYTES) : 0;
        in.expect(start);
        final long leap = plan.has(Fault.WRAP) ? wrap(random) - START_ROUNDS : 0;
        this.pattern = new MixedPattern(parts, targets, leap);
        this.door = new MixedDoor(parts);
        this.messenger = new MixedMessenger(parts, targets);
        this.completions = new MixedCompletions(parts);
        ExpectedBytes.write(window, layout.constant(), ExpectedBytes.ofConstant(rank, 0), MixedLayout.CONSTANT_BYTES);
        window.getBytes(layout.constant(), ledger.window(rank), (int) layout.constant(), MixedLayout.CONSTANT_BYTES);
        new MixedReceiver(parts);
        parts.node().client().publish(COUNTER, in);
    }

    /** Returns the number behind all that have 31 bits, or 32. */
    private static long wrap(SplittableRandom random) {
        return 1L << random.nextInt(Integer.SIZE - 1, Integer.SIZE + 1);
    }

    /** Finds the peers and records the pattern. The other nodes go on meanwhile. */
    void begin() {
        for (int peer = 0; peer < layout.nodes(); peer++) {
            // The others are not used.
            final int near = parts.isNear(peer) ? peer : rank;
            targets.add(context.attach(near, COUNTER, Deadline.in(60, TimeUnit.SECONDS)));
            door.attach(near);
        }
        pattern.record();
    }

    @Override
    public boolean step() {
        if (attempt == null && (usedSources == MixedLayout.SOURCES || remaining == 0)) {
            return collect();
        }
        if (attempt == null) {
            attempt = draw();
        }
        if (!attempt.getAsBoolean()) {
            return false;
        }
        attempt = null;
        remaining--;
        return true;
    }

    /** Returns true once the operations that use the sources are complete. */
    private boolean collect() {
        if (!completions.areAll() || !door.isIdle() || !messenger.isIdle()) {
            return false;
        }
        final boolean progressed = usedSources > 0;
        usedSources = 0;
        return progressed;
    }

    /** Draws the next operation. It is attempted until it is accepted. */
    private BooleanSupplier draw() {
        final Kind[] kinds = random.nextInt(RARITY) == 0 ? RARE : FREQUENT;
        final Kind kind = kinds[random.nextInt(kinds.length)];
        final boolean isHot = plan.workload() == Workload.HOTSPOT && random.nextInt(HOTSPOT_SHARE) != 0;
        final int drawn = parts.drawPeer();
        final int peer = isHot ? 0 : drawn;
        parts.events().add(kind.event, rank, peer);
        parts.events().trace(rank, kind.text, () -> "to rank " + peer);
        return switch (kind) {
            case PUT -> put(peer);
            case GET -> get(peer);
            case SEND -> send(peer);
            case IMMEDIATE -> () -> sendImmediate(peer, MixedReceiver.MESSAGE);
            case REQUEST -> () -> sendImmediate(peer, MixedReceiver.REQUEST);
            case RMW -> change(peer);
            case REPLAY -> pattern::replay;
            case MESSAGE -> messenger.send(peer);
            case MESSENGER_PUT -> messenger.put(peer, MixedPattern.MESSENGER_SLOT);
            case RECORD -> pattern::record;
            case DOOR -> () -> door.put(peer);
            case REOPEN -> door::reopen;
        };
    }

    private BooleanSupplier put(int peer) {
        final int slot = random.nextInt(MixedPattern.MESSENGER_SLOT);
        final int length = 1 + random.nextInt(MixedLayout.SLOT_BYTES);
        final long source = layout.source(usedSources++);
        ExpectedBytes.write(window, source, random.nextInt(256), length);
        final InjectionCounter done = completions.expect(peer, length);
        return () -> {
            if (context.put(targets.get(peer), layout.slot(rank, slot), window, source, length, done) < 0) {
                return false;
            }
            parts.put(peer, layout.slot(rank, slot), source, length);
            return true;
        };
    }

    private BooleanSupplier get(int peer) {
        final int length = 1 + random.nextInt(MixedLayout.CONSTANT_BYTES);
        final int from = random.nextInt(MixedLayout.CONSTANT_BYTES - length + 1);
        final long into = layout.source(usedSources++);
        // Bytes of an earlier operation must not pass for fetched ones.
        ExpectedBytes.write(window, into, ExpectedBytes.ofConstant(peer, from) ^ 0x80, length);
        final InjectionCounter done = completions.expect(peer, length);
        completions.fetched(peer, from, into, length);
        return () -> context.get(targets.get(peer), layout.constant() + from, window, into, length, done) >= 0;
    }

    private BooleanSupplier send(int peer) {
        final int length = random.nextInt(LONGEST_PAYLOAD + 1);
        final long source = layout.source(usedSources++);
        final long number = ledger.next(rank, peer, Ledger.MESSAGES);
        ExpectedBytes.write(window, source, ExpectedBytes.ofMessage(rank, number), length);
        final InjectionCounter done = completions.expect(peer, length);
        return () -> {
            parts.writeFields(peer, Ledger.MESSAGES, length);
            message.to(peer, MixedReceiver.MESSAGE)
                    .metadata(parts.fields(), 0, MixedLayout.FIELD_BYTES)
                    .payload(window, source, length);
            if (context.send(message.completes(done)) < 0) {
                return false;
            }
            ledger.sent(rank, peer, Ledger.MESSAGES);
            if (length > 0) {
                completions.sent(peer, number + 1);
            }
            return true;
        };
    }

    private boolean sendImmediate(int peer, int dispatchId) {
        parts.writeFields(peer, Ledger.MESSAGES, 0);
        if (context.sendImmediate(peer, dispatchId, parts.fields(), 0, MixedLayout.FIELD_BYTES) < 0) {
            return false;
        }
        ledger.sent(rank, peer, Ledger.MESSAGES);
        return true;
    }

    private BooleanSupplier change(int peer) {
        final int amount = random.nextInt(1_000);
        final InjectionCounter done = completions.expect(peer, Rmw.LENGTH);
        return () -> {
            rmw.fetchAdd(amount).completes(done);
            if (context.rmw(targets.get(peer), layout.word(rank), rmw) < 0) {
                return false;
            }
            final int word = (int) layout.word(rank);
            ledger.window(peer).putLong(word, ledger.window(peer).getLong(word) + amount);
            return true;
        };
    }

    @Override
    public boolean isDone() {
        return remaining == 0
                && usedSources == 0
                && completions.areAll()
                && door.isIdle()
                && messenger.isIdle()
                && pattern.isComplete()
                && context.isDrained();
    }

    /** Compares the window and the counter with what the ledger has, when all nodes are done. */
    void check() {
        ledger.checkWindow(rank, window, layout, start, in.valueAcquire());
        door.check();
    }
}
