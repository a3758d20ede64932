package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.PartialMessage;
import org.segno.engine.landing.Landing;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.memory.MemoryAccess;

/**
 * Log of the packets of one stream that the peer has not acknowledged. An entry has the FIFO of the packet, its
 * injection counter, and the bytes, operations and records that metrics count when it has landed. Packets are numbered
 * from {@link Frame#FIRST}, modulo 2^32, in the order in which they are sent. The peer acknowledges them in that order,
 * after it has landed or refused them. Used only by the engine's thread.
 */
final class Unlanded {
    /** Maximum number of packets that are not acknowledged, a power of two. */
    static final int LIMIT = 1024;

    private static final int INITIAL_CAPACITY = 32;

    private final Targets targets;
    private final RefusalReport report;
    private final int rank;
    private @Nullable InjectionFifoConsumer[] fifos = {};
    private int[] groups = {};
    private int[] messages = {};
    private int[] counters = {};

    /** Bytes by which each packet counts its injection counter down. */
    private int[] bytes = {};

    /** Bytes of metadata and payload in each packet. */
    private int[] sizes = {};

    /** Operations that end with each packet, and records that they publish. */
    private int[] operations = {};

    private int[] records = {};

    /** Number of the first packet that is not acknowledged, and of the next one. */
    private int first = Frame.FIRST;

    private int next = Frame.FIRST;

    /** Creates the log of packets to {@code rank}. */
    Unlanded(Targets targets, RefusalReport report, int rank) {
        this.targets = targets;
        this.report = report;
        this.rank = rank;
    }

    boolean isEmpty() {
        return first == next;
    }

    /** Returns the number of packets that are not acknowledged. */
    int count() {
        return next - first;
    }

    boolean hasRoom(long packets) {
        return next - first + packets <= LIMIT;
    }

    /**
     * Adds a packet. The caller has checked for room.
     *
     * @param fifo FIFO whose descriptor depends on it, or null
     * @param message number of its message, or {@link PartialMessage#NO_MESSAGE} for one of a single packet
     * @param injectionCounter counter that it completes when it has landed, or -1
     * @param length bytes by which it counts that counter down
     */
    void add(@Nullable InjectionFifoConsumer fifo, int message, int injectionCounter, int length) {
        if (next - first == groups.length) {
            grow();
        }
        final int at = at(next++);
        fifos[at] = fifo;
        groups[at] = fifo == null ? 0 : fifo.sent();
        messages[at] = message;
        counters[at] = injectionCounter;
        bytes[at] = length;
        sizes[at] = 0;
        operations[at] = 0;
        records[at] = 0;
    }

    /**
     * Sets what metrics count of the packet that was added last.
     *
     * @param size bytes of metadata and payload
     * @param ended operations that end with it
     * @param published records that they publish
     */
    void contents(int size, int ended, int published) {
        final int at = at(next - 1);
        sizes[at] = size;
        operations[at] = ended;
        records[at] = published;
    }

    private void grow() {
        final int capacity = Math.max(INITIAL_CAPACITY, 2 * groups.length);
        final @Nullable InjectionFifoConsumer[] oldFifos = fifos;
        final int[][] old = {groups, messages, counters, bytes, sizes, operations, records};
        final int[][] grown = new int[old.length][capacity];
        fifos = new InjectionFifoConsumer[capacity];
        for (int number = first; number != next; number++) {
            final int from = number & (old[0].length - 1);
            final int to = number & (capacity - 1);
            fifos[to] = oldFifos[from];
            for (int i = 0; i < old.length; i++) {
                grown[i][to] = old[i][from];
            }
        }
        groups = grown[0];
        messages = grown[1];
        counters = grown[2];
        bytes = grown[3];
        sizes = grown[4];
        operations = grown[5];
        records = grown[6];
    }

    /** Returns true unless no packet before number {@code end} was sent. */
    boolean hasSent(int end) {
        return end - next <= 0;
    }

    /** Completes all packets before number {@code end}, which have been sent: the peer has landed or refused them. */
    void acknowledge(int end) {
        while (end - first > 0) {
            complete(end);
        }
    }

    /** Completes the first packet, and those after it with the same FIFO, group and counter, before {@code end}. */
    private void complete(int end) {
        final int at = at(first);
        final InjectionFifoConsumer fifo = fifos[at];
        final int group = groups[at];
        final int counter = counters[at];
        long landed = 0;
        long size = 0;
        long published = 0;
        int packets = 0;
        int same = at;
        do {
            landed += bytes[same];
            size += sizes[same];
            published += records[same];
            packets++;
            first++;
            same = at(first);
        } while (first != end && fifos[same] == fifo && groups[same] == group && counters[same] == counter);
        if (landed != 0) {
            targets.injected(counter, landed);
        }
        report.metrics().addLanded(size, published);
        if (fifo != null) {
            fifo.landed(group, packets);
        }
    }

    /**
     * Records that the peer has refused a packet, with the rest of its message. Returns false for an unknown packet.
     *
     * @param refused the part of the packet that has not landed, as {@link Packet#refusedPart} returns it, or
     *     {@link Packet#ALL}
     */
    boolean refuse(int number, int code, long refused) {
        if (number - first < 0 || number - next >= 0) {
            return false;
        }
        final int at = at(number);
        final int message = messages[at];
        final int sent = bytes[at];
        final int ended = operations[at];
        final int size = sizes[at];
        final int published = records[at];
        final int lost = Packet.partBytes(refused);
        final boolean isPart = refused >= 0 && lost >= 0;
        // Bytes of immediate messages complete no counter.
        if (isPart && (lost <= sent || counters[at] == Descriptor.NO_COUNTER)) {
            final int most = Math.min(ended, Packet.partOperations(refused));
            fail(number, code, Math.max(1, most));
            bytes[at] = Math.max(0, sent - lost);
            sizes[at] = Math.max(0, size - lost - Packet.partMetadataBytes(refused));
            records[at] = Math.max(0, published - most);
        } else {
            fail(number, code, Math.max(1, ended));
            reported(at);
        }
        for (int later = number + 1; message != PartialMessage.NO_MESSAGE && later != next; later++) {
            if (messages[at(later)] == message) {
                reported(at(later));
            }
        }
        return true;
    }

    /**
     * Records that nothing of a packet has landed and that its counter has the reason. The application may use that
     * counter again from now on, so a failure of the link is not reported there.
     */
    private void reported(int at) {
        nothingOf(at);
        counters[at] = Descriptor.NO_COUNTER;
    }

    /** Records that nothing of a packet has landed. */
    private void nothingOf(int at) {
        bytes[at] = 0;
        sizes[at] = 0;
        operations[at] = 0;
        records[at] = 0;
    }

    private void fail(int number, int code, int refused) {
        final int at = at(number);
        final InjectionFifoConsumer fifo = fifos[at];
        nothingOf(at);
        report.refused(counters[at], rank, code, refused);
        if (fifo != null) {
            fifo.refused(groups[at], messages[at], MemoryAccess.error(code, rank));
        }
    }

    /**
     * Completes all packets, because nothing more is received. A code other than LANDED is the reason why they fail.
     */
    void end(int code) {
        for (int number = first; number != next && code != Landing.LANDED; number++) {
            fail(number, code, operations[at(number)]);
        }
        acknowledge(next);
    }

    private int at(int number) {
        return number & (groups.length - 1);
    }
}
