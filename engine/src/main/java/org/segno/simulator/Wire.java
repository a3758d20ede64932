package org.segno.simulator;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;

/**
 * One direction of a simulated link: for each stream a ring of slots of one frame. A frame leaves when the wire is free
 * and arrives after its transfer and the latency, behind the earlier frames of its stream. Frames of different streams
 * overtake each other.
 */
final class Wire {
    private final VirtualTime time;
    private final LinkModel model;
    private final RandomGenerator random;
    private final Memory memory;
    private final int[] lengths;
    private final long[] arrivalsNs;
    private final long[] heads = new long[Frame.STREAMS];
    private final long[] tails = new long[Frame.STREAMS];
    private final long[] lastArrivalsNs = new long[Frame.STREAMS];
    private final int[] claimed = new int[Frame.STREAMS];
    private long freeNs;
    private long stalledUntilNs;

    Wire(VirtualTime time, LinkModel model, RandomGenerator random) {
        this.time = time;
        this.model = model;
        this.random = random;
        this.memory = MappedMemory.ofProcess(Frame.STREAMS * model.frames() * model.frameLimit());
        this.lengths = new int[Frame.STREAMS * model.frames()];
        this.arrivalsNs = new long[lengths.length];
        this.freeNs = time.nowNs();
        this.stalledUntilNs = freeNs;
        Arrays.fill(lastArrivalsNs, freeNs);
    }

    Memory memory() {
        return memory;
    }

    long room(int stream) {
        return (model.frames() - (tails[stream] - heads[stream])) * model.frameLimit();
    }

    /** Returns the offset of a claimed frame, or -1 if the stream is full. */
    long claim(int stream, int length) {
        if (room(stream) == 0) {
            return -1;
        }
        claimed[stream] = length;
        return (long) slot(stream, tails[stream]) * model.frameLimit();
    }

    /** Sends the claimed frame and returns the time of its arrival. */
    long commit(int stream) {
        final int length = claimed[stream];
        final long departureNs = latest(freeNs, time.nowNs()) + model.transferNs(length);
        freeNs = departureNs;
        final long arrivalNs = latest(
                latest(departureNs, stalledUntilNs) + model.latencyNs() + random.nextLong(model.jitterNs()),
                lastArrivalsNs[stream]);
        lastArrivalsNs[stream] = arrivalNs;
        final int slot = slot(stream, tails[stream]++);
        lengths[slot] = length;
        arrivalsNs[slot] = arrivalNs;
        return arrivalNs;
    }

    /** Passes frames that have arrived to the handler and returns their number. */
    int poll(int stream, FrameHandler handler, int limit) {
        int frames = 0;
        while (frames < limit && heads[stream] != tails[stream]) {
            final int slot = slot(stream, heads[stream]);
            if (arrivalsNs[slot] - time.nowNs() > 0
                    || !handler.onFrame(memory, (long) slot * model.frameLimit(), lengths[slot])) {
                break;
            }
            heads[stream]++;
            frames++;
        }
        return frames;
    }

    /** Holds all frames that leave from now on until a time. */
    void stall(long untilNs) {
        stalledUntilNs = latest(stalledUntilNs, untilNs);
    }

    private int slot(int stream, long position) {
        return stream * model.frames() + (int) (position % model.frames());
    }

    private static long latest(long oneNs, long otherNs) {
        return oneNs - otherNs > 0 ? oneNs : otherNs;
    }
}
