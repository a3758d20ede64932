package org.segno.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;

/**
 * Expected results of all operations, and their checks: messages exactly once, whole and in order for each pair of
 * ranks and stream; the range of each node's counter byte by byte, including the gaps that no operation may write;
 * counters exactly. The parts of the workload check the ranges of their own, the gaps behind the counter's range, and
 * the memory beside all windows.
 *
 * <p>Between two ranks that have lost each other, by a crash or the failure of their link, messages arrive at most once
 * and in order. A message with a successful completion has arrived, unless its target has crashed. Bytes of a PUT or
 * RMW with a successful completion have landed in any case.
 */
final class Ledger {
    /** Streams of messages between two ranks, each of which keeps its order. */
    static final int MESSAGES = 0;

    static final int REPLIES = 1;
    static final int REPLAYED = 2;
    static final int MESSENGER = 3;
    static final int MULTICAST = 4;
    static final int NOTICES = 5;
    static final int DECLINED = 6;
    private static final int STREAMS = 7;

    /** Number of a counter of a node at which landed bytes are counted. */
    static final int WINDOW = 0;

    static final int BELL = 1;
    private static final int COUNTERS = 2;

    /** Limit of the defects of each check. */
    private static final int MOST_DEFECTS = 8;

    private final int nodes;
    private final EventHash events;
    private final long[] sent;
    private final long[] received;

    /** Number of messages of a stream that have arrived for certain. */
    private final long[] confirmed;

    private final boolean[] lost;
    private final boolean[] crashed;
    private final boolean[] closed;
    private final byte[][] windows;
    private final UnsafeBuffer[] buffers;
    private final Window[] held;
    private final long[] landed;

    /** Number of PUTs to each slot. */
    private final long[] puts;

    private final long[] exchanged;
    private final MixedRoom.@Nullable Use[] rooms;
    private final HeldOrigin heldOrigin = new HeldOrigin(this);
    private final Burst burst = new Burst(this);
    private final List<Defect> defects = new ArrayList<>();

    /** Messages between ranks that have not lost each other, which have not been received. */
    private long open;

    private long messages;
    private long checks;
    private boolean hasCut;

    Ledger(int nodes, int windowBytes, EventHash events) {
        this.nodes = nodes;
        this.events = events;
        this.sent = new long[nodes * nodes * STREAMS];
        this.received = new long[sent.length];
        this.confirmed = new long[sent.length];
        this.lost = new boolean[nodes * nodes];
        this.crashed = new boolean[nodes];
        this.closed = new boolean[nodes];
        this.windows = new byte[nodes][windowBytes];
        this.buffers = new UnsafeBuffer[nodes];
        this.held = new Window[nodes];
        Arrays.setAll(buffers, rank -> new UnsafeBuffer(windows[rank]));
        this.landed = new long[nodes * COUNTERS];
        this.puts = new long[nodes * nodes * MixedLayout.SLOTS];
        this.exchanged = new long[nodes];
        this.rooms = new MixedRoom.Use[nodes];
    }

    /** Returns the number of the next message of a stream, from 0. */
    long next(int origin, int target, int stream) {
        return sent[index(origin, target, stream)];
    }

    /** Returns the number of the message of a stream that is to be received next. */
    long due(int origin, int target, int stream) {
        return received[index(origin, target, stream)];
    }

    /** Returns true if a message before a number must still be received, in the stream of messages. */
    boolean isMissing(int origin, int target, long before) {
        return !isLost(origin, target) && due(origin, target, MESSAGES) < before;
    }

    HeldOrigin heldOrigin() {
        return heldOrigin;
    }

    Burst burst() {
        return burst;
    }

    /** Counts a message as accepted. */
    void sent(int origin, int target, int stream) {
        sent[index(origin, target, stream)]++;
        open += isLost(origin, target) ? 0 : 1;
    }

    /** Counts the messages of a stream that have arrived: all before a number. */
    void confirmed(int origin, int target, int stream, long before) {
        final int index = index(origin, target, stream);
        confirmed[index] = Math.max(confirmed[index], before);
    }

    /** Counts a message as received, and compares its number with the one that is due. */
    void received(int origin, int target, int stream, long number) {
        final int index = index(origin, target, stream);
        if (number != received[index] || number >= sent[index]) {
            defect(
                    Guarantee.ORDER,
                    "rank " + target + " received message " + number + " of rank " + origin + " in stream " + stream
                            + " when " + received[index] + " of " + sent[index] + " was due");
        }
        received[index]++;
        open -= isLost(origin, target) ? 0 : 1;
        messages++;
        checks++;
        events.add(stream, target, number << Integer.SIZE | origin);
        events.trace(target, "received", () -> "message " + number + " of rank " + origin + " in stream " + stream);
    }

    /** Records that the link of two ranks fails. */
    void cut(int rank, int other) {
        hasCut = true;
        lose(rank, other);
    }

    /** Returns true if a link has failed while both its ranks lived. */
    boolean hasCut() {
        return hasCut;
    }

    /** Records that two ranks can lose what they send to each other from now on. */
    void lose(int rank, int other) {
        if (!isLost(rank, other)) {
            open -= open(rank, other) + open(other, rank);
            lost[rank * nodes + other] = true;
            lost[other * nodes + rank] = true;
        }
    }

    private long open(int origin, int target) {
        long sum = 0;
        for (int stream = 0; stream < STREAMS; stream++) {
            sum += sent[index(origin, target, stream)] - received[index(origin, target, stream)];
        }
        return sum;
    }

    /** Records that a rank has crashed. */
    void crash(int rank) {
        if (crashed[rank]) {
            // A fault may crash a rank again.
            return;
        }
        crashed[rank] = true;
        for (int other = 0; other < nodes; other++) {
            if (other != rank) {
                lose(rank, other);
            }
        }
        // Messages to itself are lost, too.
        open -= open(rank, rank);
        lost[rank * nodes + rank] = true;
    }

    boolean isCrashed(int rank) {
        return crashed[rank];
    }

    /** Records that the first use of a rank's door has ended. */
    void close(int rank) {
        closed[rank] = true;
    }

    boolean isClosed(int rank) {
        return closed[rank];
    }

    boolean isLost(int rank, int other) {
        return lost[rank * nodes + other];
    }

    /** Returns true if any ranks have lost each other. */
    boolean hasLoss() {
        return IntStream.range(0, lost.length).anyMatch(pair -> lost[pair]);
    }

    /** Reports an operation that failed, unless its ranks have lost each other. */
    void failed(int origin, int target, String what) {
        checks++;
        if (!isLost(origin, target)) {
            defect("rank " + origin + " failed with " + what + " at rank " + target + ", which it can reach");
        }
    }

    /** Checks that an operation of a rank that has failed has not counted its injection counter down. */
    void checkFailed(int rank, InjectionCounter counter, long expected) {
        checks++;
        if (counter.valueAcquire() != expected) {
            defect("rank " + rank + " failed with an operation that has counted down to " + counter.valueAcquire()
                    + " from " + expected);
        }
    }

    /** Reports the failure of a pattern, unless its rank has lost one of the pattern's peers. */
    void failedPattern(int rank, int[] peers, String what) {
        checks++;
        if (Arrays.stream(peers).noneMatch(peer -> isLost(rank, peer))) {
            defect("rank " + rank + " failed with a pattern whose peers it can reach: " + what);
        }
    }

    /** Sets the present use of a rank's room; null for none. */
    void room(int rank, MixedRoom.@Nullable Use use) {
        rooms[rank] = use;
    }

    MixedRoom.@Nullable Use room(int rank) {
        return rooms[rank];
    }

    /** Sets the number of rounds of its exchange that a rank has begun. */
    void exchanged(int rank, long rounds) {
        exchanged[rank] = rounds;
    }

    long exchanged(int rank) {
        return exchanged[rank];
    }

    /** Counts bytes that land at a counter of a rank by a PUT. */
    void landed(int target, int counter, long bytes) {
        landed[target * COUNTERS + counter] += bytes;
    }

    /** Sets the window of a rank itself, for checks while the nodes run. */
    void held(int rank, Window window) {
        held[rank] = window;
    }

    Window held(int rank) {
        return held[rank];
    }

    /** Returns what the window of a rank must hold in the end. */
    UnsafeBuffer window(int rank) {
        return buffers[rank];
    }

    /** Returns true once each message was received that must be. */
    boolean isComplete() {
        if (open > 0) {
            return false;
        }
        for (int i = 0; i < sent.length; i++) {
            if (received[i] < due(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of messages of a stream between two ranks that must have been received in the end. */
    private long due(int index) {
        final int origin = index / STREAMS / nodes;
        final int target = index / STREAMS % nodes;
        return isLost(origin, target) ? (crashed[target] ? 0 : confirmed[index]) : sent[index];
    }

    /** Names the messages that are missing. */
    void checkComplete() {
        for (int i = 0; i < sent.length; i++) {
            if (received[i] < due(i)) {
                defect("rank " + i / STREAMS % nodes + " received " + received[i] + " of " + due(i)
                        + " messages of rank " + i / STREAMS / nodes + " in stream " + i % STREAMS);
            }
        }
    }

    /** Counts a PUT to a slot of a rank. Returns its number. */
    long put(int origin, int target, int slot) {
        return ++puts[(origin * nodes + target) * MixedLayout.SLOTS + slot];
    }

    /**
     * Compares the bytes that a PUT of a number has written to a slot with what lies there, if it was the last one.
     * Its completion has reported success: it must have landed, also if the ranks have lost each other since.
     */
    void checkPut(int origin, int target, int slot, long number, int length) {
        if (puts[(origin * nodes + target) * MixedLayout.SLOTS + slot] == number) {
            checkLanded(origin, target, new MixedLayout(nodes).slot(origin, slot), length);
        }
    }

    /** Checks that the bytes of an operation whose completion reported success are in the memory of its target. */
    void checkLanded(int origin, int target, long offset, int length) {
        checks++;
        for (int at = (int) offset; at < offset + length; at++) {
            if (held[target].getByte(at) != windows[target][at]) {
                defect("an operation of rank " + origin + " has succeeded, but the window of rank " + target + " holds "
                        + held[target].getByte(at) + " at " + at + ", not " + windows[target][at]);
                return;
            }
        }
    }

    /** Compares the range of a window's counter, with the gaps in it, with what it must hold. */
    void checkWindow(int rank, Window window, MixedLayout layout) {
        final byte[] due = windows[rank];
        final byte[] present = new byte[layout.counterBytes()];
        window.getBytes(0, new UnsafeBuffer(present), 0, present.length);
        for (int origin = 0; origin < nodes; origin++) {
            if (isLost(origin, rank)) {
                for (int slot = 0; slot < MixedLayout.SLOTS; slot++) {
                    final int at = (int) layout.slot(origin, slot);
                    System.arraycopy(present, at, due, at, MixedLayout.SLOT_BYTES);
                }
                final int word = (int) layout.word(origin);
                System.arraycopy(present, word, due, word, Long.BYTES);
            }
        }
        checks++;
        final int offset = Arrays.mismatch(present, 0, present.length, due, 0, present.length);
        if (offset >= 0) {
            defect("the window of rank " + rank + " holds " + present[offset] + " at " + offset + ", not "
                    + due[offset]);
        }
    }

    /** Compares the bytes by which a counter of a rank was counted down with what landed there. */
    void checkCounter(int rank, int counter, long counted) {
        checks++;
        final long due = landed[rank * COUNTERS + counter];
        final boolean isExact = IntStream.range(0, nodes).noneMatch(origin -> isLost(origin, rank));
        if (isExact ? counted != due : counted < 0 || counted > due) {
            defect(
                    Guarantee.COUNTER,
                    "the " + (counter == BELL ? "bell" : "counter") + " of rank " + rank + " was counted down by "
                            + counted + " bytes, not by " + due);
        }
    }

    /** Checks that a counter of a rank has returned to zero. */
    void checkValue(int rank, String counter, long value) {
        checks++;
        if (value != 0) {
            defect(Guarantee.COUNTER, "the " + counter + " of rank " + rank + " is " + value + ", not 0");
        }
    }

    /** Adds a defect of delivery. */
    void defect(String text) {
        defect(Guarantee.DELIVERY, text);
    }

    private void defect(Guarantee check, String text) {
        events.trace(0, "defect", () -> text);
        if (defects.stream().filter(found -> found.check() == check).count() < MOST_DEFECTS) {
            defects.add(new Defect(check, text));
        }
    }

    List<Defect> defects() {
        return defects;
    }

    /** Returns the number of checks made. */
    long checks() {
        return checks;
    }

    void checked() {
        checks++;
    }

    /** Counts a round of a collective as one message. */
    void completed() {
        messages++;
    }

    long messages() {
        return messages;
    }

    private int index(int origin, int target, int stream) {
        return (origin * nodes + target) * STREAMS + stream;
    }
}
