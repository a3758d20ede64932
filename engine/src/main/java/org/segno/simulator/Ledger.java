package org.segno.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.memory.Window;

/**
 * Expected results of all operations, and their checks: messages exactly once, whole and in order for each pair of
 * ranks and stream; windows byte by byte, including the gaps that no operation may write; counters exactly.
 *
 * <p>Between two ranks that have lost each other, by a crash or the failure of their link, messages arrive at most once
 * and in order. A message with a successful completion has arrived, unless its target has crashed.
 */
final class Ledger {
    /** Streams of messages between two ranks, each of which keeps its order. */
    static final int MESSAGES = 0;

    static final int REPLIES = 1;
    static final int REPLAYED = 2;
    static final int MESSENGER = 3;
    private static final int STREAMS = 4;

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
    private final long[] landed;
    private final List<Defect> defects = new ArrayList<>();

    /** Messages between ranks that have not lost each other, which have not been received. */
    private long open;

    private long messages;
    private long checks;

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
        Arrays.setAll(buffers, rank -> new UnsafeBuffer(windows[rank]));
        this.landed = new long[nodes];
    }

    /** Returns the number of the next message of a stream, from 0. */
    long next(int origin, int target, int stream) {
        return sent[index(origin, target, stream)];
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

    /** Reports an operation that failed, unless its ranks have lost each other. */
    void failed(int origin, int target, String what) {
        checks++;
        if (!isLost(origin, target)) {
            defect("rank " + origin + " failed with " + what + " at rank " + target + ", which it can reach");
        }
    }

    /** Reports the failure of a pattern, unless its rank has lost one of the pattern's peers. */
    void failedPattern(int rank, int[] peers, String what) {
        checks++;
        if (Arrays.stream(peers).noneMatch(peer -> isLost(rank, peer))) {
            defect("rank " + rank + " failed with a pattern whose peers it can reach: " + what);
        }
    }

    /** Counts bytes that land at a rank's counter by a PUT. */
    void landed(int target, long bytes) {
        landed[target] += bytes;
    }

    /** Returns what the window of a rank must hold in the end. */
    UnsafeBuffer window(int rank) {
        return buffers[rank];
    }

    /** Returns true once each message was received that must be. */
    boolean isComplete() {
        return open <= 0;
    }

    /** Names the messages that are missing. */
    void checkComplete() {
        for (int i = 0; i < sent.length; i++) {
            final int origin = i / STREAMS / nodes;
            final int target = i / STREAMS % nodes;
            final long due = isLost(origin, target) ? (crashed[target] ? 0 : confirmed[i]) : sent[i];
            if (received[i] < due) {
                defect("rank " + target + " received " + received[i] + " of " + due + " messages of rank " + origin
                        + " in stream " + i % STREAMS);
            }
        }
    }

    /**
     * Compares the beginning of a window with what it must hold, and the value of its counter with what landed.
     *
     * @param start value of the counter at the start
     */
    void checkWindow(int rank, Window window, MixedLayout layout, long start, long value) {
        final byte[] due = windows[rank];
        final byte[] held = new byte[layout.counterBytes()];
        window.getBytes(0, new UnsafeBuffer(held), 0, held.length);
        boolean isExact = true;
        for (int origin = 0; origin < nodes; origin++) {
            if (isLost(origin, rank)) {
                isExact = false;
                for (int slot = 0; slot < MixedLayout.SLOTS; slot++) {
                    final int at = (int) layout.slot(origin, slot);
                    System.arraycopy(held, at, due, at, MixedLayout.SLOT_BYTES);
                }
                final int word = (int) layout.word(origin);
                System.arraycopy(held, word, due, word, Long.BYTES);
            }
        }
        checks += 2;
        final int offset = Arrays.mismatch(held, 0, held.length, due, 0, held.length);
        if (offset >= 0) {
            defect("the window of rank " + rank + " holds " + held[offset] + " at " + offset + ", not " + due[offset]);
        }
        final long counted = start - value;
        if (isExact ? counted != landed[rank] : counted < 0 || counted > landed[rank]) {
            defect(
                    Guarantee.COUNTER,
                    "the counter of rank " + rank + " was counted down by " + counted + " bytes, not by "
                            + landed[rank]);
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

    long messages() {
        return messages;
    }

    private int index(int origin, int target, int stream) {
        return (origin * nodes + target) * STREAMS + stream;
    }
}
