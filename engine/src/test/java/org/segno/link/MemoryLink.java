package org.segno.link;

import org.agrona.BitUtil;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Packet;

/**
 * A link through memory. Both ends are in one process, and one thread uses each. Each channel is a ring of slots in
 * either direction. Each slot has the length of the longest packet.
 *
 * <pre>
 *  offset  length  field   meaning                                                written by   access
 *       0       8  tail    packets published                                      sender       release
 *       8     120  reserved
 *     128       8  head    packets taken                                          receiver     release
 *     136     120  reserved
 *     256          slots, each of {@link Packet#LENGTH} and {@link Packet#PAYLOAD_LIMIT} bytes
 * </pre>
 */
public final class MemoryLink implements Link {
    private static final int HEAD_OFFSET = 128;
    private static final int SLOTS_OFFSET = 256;
    private static final int SLOT_LENGTH = Packet.LENGTH + Packet.PAYLOAD_LIMIT;

    private final int rank;
    private final int capacity;
    private final Memory outgoing;
    private final Memory incoming;
    private final Shared shared;
    private final Packet claimed;
    private final Packet received;

    private MemoryLink(int rank, int capacity, Memory outgoing, Memory incoming, Shared shared) {
        this.rank = rank;
        this.capacity = capacity;
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.shared = shared;
        this.claimed = new Packet(outgoing);
        this.received = new Packet(incoming);
    }

    /** State that both ends share. */
    private static final class Shared {
        private volatile boolean down;
    }

    /**
     * Creates both ends of a link.
     *
     * @param first rank that uses the first end
     * @param second rank that uses the second end
     * @param packets capacity of each channel in each direction, a power of two
     * @throws IllegalArgumentException if it is not a power of two
     */
    public static MemoryLink[] join(int first, int second, int packets) {
        if (packets < 1 || !BitUtil.isPowerOfTwo(packets)) {
            throw new IllegalArgumentException("packets must be a power of two: packets=" + packets);
        }
        final int bytes = Packet.CHANNELS * ringLength(packets);
        final Memory there = MappedMemory.ofProcess(bytes);
        final Memory back = MappedMemory.ofProcess(bytes);
        final Shared shared = new Shared();
        return new MemoryLink[] {
            new MemoryLink(second, packets, there, back, shared), new MemoryLink(first, packets, back, there, shared)
        };
    }

    private static int ringLength(int packets) {
        return BitUtil.align(SLOTS_OFFSET + packets * SLOT_LENGTH, HEAD_OFFSET);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public LinkState state() {
        return shared.down ? LinkState.DOWN : LinkState.UP;
    }

    @Override
    public int room(int channel) {
        final long ring = ring(channel);
        return shared.down
                ? 0
                : capacity - (int) (outgoing.getLong(ring) - outgoing.getLongAcquire(ring + HEAD_OFFSET));
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public Packet claim(int channel) {
        final long ring = ring(channel);
        return claimed.wrap(slot(ring, outgoing.getLong(ring)));
    }

    @Override
    public void publish(int channel) {
        final long ring = ring(channel);
        outgoing.putLongRelease(ring, outgoing.getLong(ring) + 1);
    }

    @Override
    public int poll(int channel, PacketHandler handler, int limit) {
        final long ring = ring(channel);
        final long tail = incoming.getLongAcquire(ring);
        final long first = incoming.getLong(ring + HEAD_OFFSET);
        long head = first;
        while (head != tail && head - first < limit && handler.onPacket(received.wrap(slot(ring, head)))) {
            head++;
            incoming.putLongRelease(ring + HEAD_OFFSET, head);
        }
        return (int) (head - first);
    }

    private long ring(int channel) {
        return (long) channel * ringLength(capacity);
    }

    private long slot(long ring, long position) {
        return ring + SLOTS_OFFSET + (position & (capacity - 1)) * SLOT_LENGTH;
    }

    @Override
    public void close() {
        shared.down = true;
    }
}
