package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import org.segno.memory.Window;

/**
 * What every node must have received, and the check of it: messages exactly once, whole and in order for each pair of
 * ranks and stream; windows byte by byte, including the bytes that nobody may write; counters exactly.
 */
final class Ledger {
    /** Streams of messages between two ranks, each of which keeps its order. */
    static final int MESSAGES = 0;

    static final int REPLIES = 1;
    static final int REPLAYED = 2;
    private static final int STREAMS = 3;
    private static final int MOST_DEFECTS = 8;

    private final int nodes;
    private final EventHash events;
    private final long[] sent;
    private final long[] received;
    private final byte[][] windows;
    private final long[] landed;
    private final List<String> defects = new ArrayList<>();
    private long messages;
    private long checks;

    Ledger(int nodes, int windowBytes, EventHash events) {
        this.nodes = nodes;
        this.events = events;
        this.sent = new long[nodes * nodes * STREAMS];
        this.received = new long[sent.length];
        this.windows = new byte[nodes][windowBytes];
        this.landed = new long[nodes];
    }

    /** Returns the number of the next message of a stream, from 0. */
    long next(int origin, int target, int stream) {
        return sent[index(origin, target, stream)];
    }

    /** Counts a message as accepted. */
    void sent(int origin, int target, int stream) {
        sent[index(origin, target, stream)]++;
    }

    /** Counts a message as received, and compares its number with the one that is due. */
    void received(int origin, int target, int stream, long number) {
        final int index = index(origin, target, stream);
        if (number != received[index] || number >= sent[index]) {
            defect("rank " + target + " received message " + number + " of rank " + origin + " in stream " + stream
                    + " when " + received[index] + " of " + sent[index] + " was due");
        }
        received[index] = number + 1;
        messages++;
        checks++;
        events.trace(target, "received", () -> "message " + number + " of rank " + origin + " in stream " + stream);
        events.add(stream, target, number << Integer.SIZE | origin);
    }

    /** Counts bytes that land at a rank's counter by a PUT. */
    void landed(int target, long bytes) {
        landed[target] += bytes;
    }

    /** Returns what the window of a rank must hold in the end. */
    byte[] window(int rank) {
        return windows[rank];
    }

    /** Returns true once each message that was sent was received. */
    boolean isComplete() {
        for (int i = 0; i < sent.length; i++) {
            if (received[i] < sent[i]) {
                return false;
            }
        }
        return true;
    }

    /** Names the messages that are missing. */
    void checkComplete() {
        for (int i = 0; i < sent.length; i++) {
            if (received[i] != sent[i]) {
                final int pair = i / STREAMS;
                defect("rank " + pair % nodes + " received " + received[i] + " of " + sent[i] + " messages of rank "
                        + pair / nodes + " in stream " + i % STREAMS);
            }
        }
    }

    /** Compares the beginning of a window with what it must hold, and the value of its counter with what landed. */
    void checkWindow(int rank, Window window, int bytes, long counterValue) {
        final byte[] due = windows[rank];
        checks += 2;
        for (int offset = 0; offset < bytes; offset++) {
            if (window.getByte(offset) != due[offset]) {
                defect("the window of rank " + rank + " holds " + window.getByte(offset) + " at " + offset + ", not "
                        + due[offset]);
                break;
            }
        }
        if (counterValue != -landed[rank]) {
            defect("the counter of rank " + rank + " was counted down by " + -counterValue + " bytes, not by "
                    + landed[rank]);
        }
    }

    void defect(String text) {
        if (defects.size() < MOST_DEFECTS) {
            defects.add(text);
        }
    }

    List<String> defects() {
        return defects;
    }

    /** Returns the number of checks made. */
    long checks() {
        return checks;
    }

    long messages() {
        return messages;
    }

    private int index(int origin, int target, int stream) {
        return (origin * nodes + target) * STREAMS + stream;
    }
}
