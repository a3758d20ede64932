package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Random PUTs, REMOTE_GETs, SENDs of all lengths, immediate SENDs, requests with replies, RMWs and replays between all
 * ranks. The ledger has what each of them must cause.
 */
final class MixedWorkload implements SimulatedProgram {
    private static final String COUNTER = "in";
    private static final int MESSAGE = 1;
    private static final int REQUEST = 2;
    private static final int REPLY = 3;
    private static final int REPLAYED = 4;
    private static final int METADATA_BYTES = 16;
    private static final int LONGEST_PAYLOAD = 900;

    /** Length of the longest message in bytes, with its metadata. */
    static final int LONGEST_MESSAGE = LONGEST_PAYLOAD + METADATA_BYTES;

    private static final int REPLAYED_BYTES = 48;
    private static final int PATTERN_LENGTH = METADATA_BYTES + REPLAYED_BYTES;

    /** Kinds of events below it are streams of received messages. */
    private static final int FIRST_OPERATION = 100;

    /** The last slot of each pair is the pattern's. */
    private static final int PATTERN_SLOT = MixedLayout.SLOTS - 1;

    private static final String[] KINDS = {"put", "get", "send", "immediate", "request", "rmw", "replay"};

    private final int rank;
    private final MixedLayout layout;
    private final Ledger ledger;
    private final EventHash events;
    private final SplittableRandom random;
    private final Context context;
    private final Window window;
    private final ReceptionCounter in;
    private final InjectionCounter done;
    private final List<Target> targets = new ArrayList<>();
    private final Message message = new Message();
    private final Rmw rmw = new Rmw();
    private final UnsafeBuffer fields = new UnsafeBuffer(new byte[METADATA_BYTES]);
    private @Nullable BooleanSupplier attempt;
    private int remaining;
    private int usedSources;

    /** Checks of the bytes that REMOTE_GETs bring, made when they are complete. */
    private final List<Runnable> checks = new ArrayList<>();

    private @Nullable Pattern pattern;

    MixedWorkload(Node node, Ledger ledger, EventHash events, SplittableRandom random, int operations) {
        this.rank = node.rank();
        this.layout = new MixedLayout(node.size());
        this.ledger = ledger;
        this.events = events;
        this.random = random;
        this.remaining = operations;
        this.context = node.client().context();
        this.window = node.client().window(layout.windowBytes());
        this.in = node.client()
                .receptionCounter(
                        window, 0, layout.counterBytes(), ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        this.done = node.client().injectionCounter();
        for (int i = 0; i < MixedLayout.CONSTANT_BYTES; i++) {
            window.putByte(layout.constant() + i, MixedLayout.constantByte(rank, i));
            ledger.window(rank)[(int) layout.constant() + i] = MixedLayout.constantByte(rank, i);
        }
        context.handler(MESSAGE, this::onMessage);
        context.handler(REPLAYED, this::onReplayed);
        context.handler(REPLY, this::onReply);
        context.replyingHandler(REQUEST, this::onRequest);
        node.client().publish(COUNTER, in);
    }

    /** Finds the peers and records the pattern. The other nodes go on meanwhile. */
    void begin() {
        for (int peer = 0; peer < layout.nodes(); peer++) {
            targets.add(context.attach(peer, COUNTER, Deadline.in(60, TimeUnit.SECONDS)));
        }
        writePattern();
        pattern = context.record(0, Rounds.ORDERED_BY_CALLER, this::recordAll);
        countPattern();
    }

    private void recordAll() {
        for (int peer = 0; peer < layout.nodes(); peer++) {
            message.to(peer, REPLAYED)
                    .metadata(window, layout.pattern(), METADATA_BYTES)
                    .payload(window, layout.pattern() + METADATA_BYTES, REPLAYED_BYTES);
            accept(context.send(message));
            accept(context.put(
                    targets.get(peer), layout.slot(rank, PATTERN_SLOT), window, layout.pattern(), PATTERN_LENGTH));
        }
    }

    private static void accept(long status) {
        if (status < 0) {
            throw new IllegalStateException("a recording refused an operation: " + status);
        }
    }

    private void writePattern() {
        final long number = ledger.next(rank, 0, Ledger.REPLAYED);
        window.putLong(layout.pattern(), number);
        window.putLong(layout.pattern() + Long.BYTES, REPLAYED_BYTES);
        for (int i = 0; i < REPLAYED_BYTES; i++) {
            window.putByte(layout.pattern() + METADATA_BYTES + i, MixedLayout.payloadByte(rank, number, i));
        }
    }

    /** Counts what a round of the pattern sends. */
    private void countPattern() {
        for (int peer = 0; peer < layout.nodes(); peer++) {
            ledger.sent(rank, peer, Ledger.REPLAYED);
            put(peer, PATTERN_SLOT, layout.pattern(), PATTERN_LENGTH);
        }
    }

    private void put(int peer, int slot, long source, int length) {
        final byte[] due = ledger.window(peer);
        for (int i = 0; i < length; i++) {
            due[(int) layout.slot(rank, slot) + i] = window.getByte(source + i);
        }
        ledger.landed(peer, length);
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
        if (done.valueAcquire() > 0) {
            return false;
        }
        if (done.errorAcquire() != 0) {
            ledger.defect("rank " + rank + " was refused an operation: " + InjectionCounter.code(done.errorAcquire()));
            done.reset();
        }
        checks.forEach(Runnable::run);
        checks.clear();
        final boolean progressed = usedSources > 0;
        usedSources = 0;
        return progressed;
    }

    /** Draws the next operation. It is attempted until it is accepted. */
    private BooleanSupplier draw() {
        final int kind = random.nextInt(7);
        final int peer = random.nextInt(layout.nodes());
        events.add(FIRST_OPERATION + kind, rank, peer);
        events.trace(rank, KINDS[kind], () -> "to rank " + peer);
        return switch (kind) {
            case 0 -> put(peer);
            case 1 -> get(peer);
            case 2 -> send(peer);
            case 3 -> () -> sendImmediate(peer, MESSAGE);
            case 4 -> () -> sendImmediate(peer, REQUEST);
            case 5 -> change(peer);
            default -> this::replay;
        };
    }

    private BooleanSupplier put(int peer) {
        final int slot = random.nextInt(PATTERN_SLOT);
        final int length = 1 + random.nextInt(MixedLayout.SLOT_BYTES);
        final long source = layout.source(usedSources++);
        final int salt = random.nextInt();
        for (int i = 0; i < length; i++) {
            window.putByte(source + i, (byte) (salt + i));
        }
        done.expect(length);
        return () -> {
            if (context.put(targets.get(peer), layout.slot(rank, slot), window, source, length, done) < 0) {
                return false;
            }
            put(peer, slot, source, length);
            return true;
        };
    }

    private BooleanSupplier get(int peer) {
        final int length = 1 + random.nextInt(MixedLayout.CONSTANT_BYTES);
        final int from = random.nextInt(MixedLayout.CONSTANT_BYTES - length + 1);
        final long into = layout.source(usedSources++);
        done.expect(length);
        checks.add(() -> checkFetched(peer, from, into, length));
        return () -> context.get(targets.get(peer), layout.constant() + from, window, into, length, done) >= 0;
    }

    private void checkFetched(int peer, int from, long into, int length) {
        for (int i = 0; i < length; i++) {
            if (window.getByte(into + i) != MixedLayout.constantByte(peer, from + i)) {
                ledger.defect("rank " + rank + " fetched other bytes than rank " + peer + " has at " + (from + i));
                return;
            }
        }
    }

    private BooleanSupplier send(int peer) {
        final int length = random.nextInt(LONGEST_PAYLOAD + 1);
        final long source = layout.source(usedSources++);
        final long number = ledger.next(rank, peer, Ledger.MESSAGES);
        for (int i = 0; i < length; i++) {
            window.putByte(source + i, MixedLayout.payloadByte(rank, number, i));
        }
        done.expect(length);
        return () -> {
            writeFields(number, length);
            message.to(peer, MESSAGE).metadata(fields, 0, METADATA_BYTES).payload(window, source, length);
            if (context.send(message.completes(done)) < 0) {
                return false;
            }
            ledger.sent(rank, peer, Ledger.MESSAGES);
            return true;
        };
    }

    private boolean sendImmediate(int peer, int dispatchId) {
        writeFields(ledger.next(rank, peer, Ledger.MESSAGES), 0);
        if (context.sendImmediate(peer, dispatchId, fields, 0, METADATA_BYTES) < 0) {
            return false;
        }
        ledger.sent(rank, peer, Ledger.MESSAGES);
        return true;
    }

    private void writeFields(long number, long length) {
        fields.putLong(0, number);
        fields.putLong(Long.BYTES, length);
    }

    private BooleanSupplier change(int peer) {
        final int amount = random.nextInt(1_000);
        done.expect(Rmw.LENGTH);
        return () -> {
            if (context.rmw(
                            targets.get(peer),
                            layout.word(rank),
                            rmw.fetchAdd(amount).completes(done))
                    < 0) {
                return false;
            }
            final UnsafeBuffer due = new UnsafeBuffer(ledger.window(peer));
            final int word = (int) layout.word(rank);
            due.putLong(word, due.getLong(word) + amount);
            return true;
        };
    }

    private boolean replay() {
        final Pattern recorded = pattern;
        if (recorded == null || !recorded.isComplete()) {
            return false;
        }
        writePattern();
        if (context.replay(recorded) < 0) {
            return false;
        }
        countPattern();
        return true;
    }

    private void onMessage(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        final int from = Endpoint.task(origin);
        // An immediate send carries its bytes as payload.
        final int fields = metadataLength == 0 ? payload : metadata;
        final int body = metadataLength == 0 ? 0 : length;
        check(from, Ledger.MESSAGES, new Received(buffer, fields, payload, body));
    }

    private void onReplayed(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        check(Endpoint.task(origin), Ledger.REPLAYED, new Received(buffer, metadata, payload, length));
    }

    private record Received(DirectBuffer buffer, int fields, int payload, int length) {}

    private void check(int from, int stream, Received received) {
        final DirectBuffer buffer = received.buffer;
        final long number = buffer.getLong(received.fields);
        final long length = buffer.getLong(received.fields + Long.BYTES);
        ledger.received(from, rank, stream, number);
        if (length != received.length) {
            ledger.defect("rank " + rank + " received " + received.length + " of " + length + " bytes of message "
                    + number + " of rank " + from);
        }
        for (int i = 0; i < received.length; i++) {
            if (buffer.getByte(received.payload + i) != MixedLayout.payloadByte(from, number, i)) {
                ledger.defect("rank " + rank + " received message " + number + " of rank " + from + " damaged at " + i);
                return;
            }
        }
    }

    private long onRequest(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        final int from = Endpoint.task(origin);
        writeFields(ledger.next(rank, from, Ledger.REPLIES), 0);
        final long status = context.sendImmediate(origin, REPLY, fields, 0, METADATA_BYTES);
        if (status >= 0) {
            ledger.sent(rank, from, Ledger.REPLIES);
            ledger.received(from, rank, Ledger.MESSAGES, buffer.getLong(payload));
        }
        return status;
    }

    private void onReply(long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        ledger.received(Endpoint.task(origin), rank, Ledger.REPLIES, buffer.getLong(payload));
    }

    @Override
    public boolean isDone() {
        final Pattern recorded = pattern;
        return remaining == 0
                && usedSources == 0
                && done.valueAcquire() <= 0
                && recorded != null
                && recorded.isComplete()
                && context.isDrained();
    }

    /** Compares the window and the counter with what the ledger has, when all nodes are done. */
    void check() {
        ledger.checkWindow(rank, window, layout.counterBytes(), in.valueAcquire());
    }
}
