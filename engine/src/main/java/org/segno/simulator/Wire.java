package org.segno.simulator;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;

/**
 * One direction of a simulated link: for each stream a ring of slots of one frame. A frame leaves when the wire is free
 * and arrives after its transfer and the latency, behind the earlier frames of its stream. Frames of different streams
 * overtake each other.
 */
final class Wire {
    private static final int OVERTAKING_RARITY = 8;

    private final int sender;
    private final int receiver;
    private final VirtualTime time;
    private final LinkModel model;
    private final SplittableRandom random;
    private final Memory memory;
    private final int[] lengths;
    private final long[] arrivalsNs;

    /** By stream, the index of its first frame, and the number of its frames. */
    private final int[] firsts = new int[Frame.STREAMS];

    private final int[] counts = new int[Frame.STREAMS];
    private final long[] lastArrivalsNs = new long[Frame.STREAMS];
    private final int[] claimed = new int[Frame.STREAMS];
    private long freeNs;
    private long stalledUntilNs;
    private long cloggedUntilNs;
    private boolean isCut;
    private long cutNs;

    /** True if the sender has found no room. */
    private boolean wasFull;

    /** Creates a wire between two ranks, whose memory has the {@link #bytes} of its model. */
    Wire(int sender, int receiver, VirtualTime time, LinkModel model, SplittableRandom random, Memory memory) {
        this.sender = sender;
        this.receiver = receiver;
        this.time = time;
        this.model = model;
        this.random = random;
        this.memory = memory;
        this.lengths = new int[Frame.STREAMS * model.frames()];
        this.arrivalsNs = new long[lengths.length];
        this.freeNs = time.nowNs();
        this.stalledUntilNs = freeNs;
        this.cloggedUntilNs = freeNs;
        Arrays.fill(lastArrivalsNs, freeNs);
    }

    /** Returns the length of the memory of a wire. */
    static int bytes(LinkModel model) {
        return Frame.STREAMS * model.frames() * model.frameLimit();
    }

    int sender() {
        return sender;
    }

    int receiver() {
        return receiver;
    }

    Memory memory() {
        return memory;
    }

    long room(int stream) {
        final long frames = cloggedUntilNs - time.nowNs() > 0 ? 0 : model.frames() - counts[stream];
        return frames * model.frameLimit();
    }

    boolean hasRoom(int stream, long bytes) {
        final boolean hasRoom = room(stream) >= bytes;
        wasFull |= !hasRoom;
        return hasRoom;
    }

    /** Returns the offset of a claimed frame, or -1 if the stream is full. */
    long claim(int stream, int length) {
        if (!hasRoom(stream, model.frameLimit())) {
            return -1;
        }
        claimed[stream] = length;
        return (long) slot(stream, counts[stream]) * model.frameLimit();
    }

    /** Sends the claimed frame and returns the time of its arrival. */
    long commit(int stream) {
        final int length = claimed[stream];
        final long departureNs = latest(freeNs, time.nowNs()) + model.transferNs(length);
        freeNs = departureNs;
        final long arrivalNs =
                latest(latest(departureNs, stalledUntilNs) + model.latencyNs() + delayNs(), lastArrivalsNs[stream]);
        lastArrivalsNs[stream] = arrivalNs;
        final int slot = slot(stream, counts[stream]++);
        lengths[slot] = length;
        arrivalsNs[slot] = arrivalNs;
        return arrivalNs;
    }

    private long delayNs() {
        final long drawn = random.nextLong();
        final long jitterNs = ((drawn >>> Integer.SIZE) * model.jitterNs()) >>> Integer.SIZE;
        return model.overtakingNs() > 0 && (int) drawn % OVERTAKING_RARITY == 0
                ? jitterNs + random.nextLong(model.overtakingNs())
                : jitterNs;
    }

    /** Passes frames that have arrived to the handler and returns their number. */
    int poll(int stream, FrameHandler handler, int limit) {
        int frames = 0;
        while (frames < limit && counts[stream] > 0) {
            final int slot = slot(stream, 0);
            final long arrivalNs = arrivalsNs[slot];
            if (arrivalNs - time.nowNs() > 0
                    || (isCut && arrivalNs - cutNs > 0)
                    || !handler.onFrame(memory, (long) slot * model.frameLimit(), lengths[slot])) {
                break;
            }
            firsts[stream] = firsts[stream] + 1 == model.frames() ? 0 : firsts[stream] + 1;
            counts[stream]--;
            frames++;
        }
        return frames;
    }

    /** Returns the time until the next frame arrives, or {@link Long#MAX_VALUE} if none is on its way. */
    long arrivesInNs() {
        long nextNs = Long.MAX_VALUE;
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            if (counts[stream] > 0) {
                final long ns = arrivalsNs[slot(stream, 0)] - time.nowNs();
                // A frame that has arrived waits for its receiver, or was lost when the link was cut.
                nextNs = ns > 0 && !isCut ? Math.min(nextNs, ns) : nextNs;
            }
        }
        return nextNs;
    }

    /** Returns the time until the wire accepts frames, or {@link Long#MAX_VALUE} if it is not clogged. */
    long acceptsInNs() {
        final long ns = cloggedUntilNs - time.nowNs();
        return ns > 0 ? ns : Long.MAX_VALUE;
    }

    /** Returns true if the sender has found no room since the last call. */
    boolean hasRefused() {
        final boolean refused = wasFull;
        wasFull = false;
        return refused;
    }

    /** Holds all frames that leave from now on until a time. */
    void stall(long untilNs) {
        stalledUntilNs = latest(stalledUntilNs, untilNs);
    }

    /** Accepts no frame until a time. */
    void clog(long untilNs) {
        cloggedUntilNs = latest(cloggedUntilNs, untilNs);
    }

    /** Loses all frames that have not arrived. */
    void cut() {
        if (!isCut) {
            isCut = true;
            cutNs = time.nowNs();
        }
    }

    /** Returns the slot of the frame that is so many behind the first one of a stream. */
    private int slot(int stream, int behind) {
        final int index = firsts[stream] + behind;
        return stream * model.frames() + (index < model.frames() ? index : index - model.frames());
    }

    private static long latest(long oneNs, long otherNs) {
        return oneNs - otherNs > 0 ? oneNs : otherNs;
    }
}
