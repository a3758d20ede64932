package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.agrona.UnsafeApi;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.TimedRound;

/**
 * One step of the spikes by packed rings, one for each direction and one from each end to itself: a record for each
 * spike, which the receiver handles by a call. It is the limit for messages with handlers.
 *
 * <p>The rings have 64 KiB, enough for the spikes of a step.
 */
final class BareSpikes implements TimedRound, PackedRing.RecordHandler {
    private static final int RING_RECORDS = 2048;

    /** Spikes of one step that a ring takes before any is read: the receiver returns space by the quarter. */
    private static final int STEP_LIMIT = RING_RECORDS / 4 * 3;

    private final PackedRing out;
    private final PackedRing in;
    private final PackedRing toSelf;
    private final PackedRing fromSelf;
    private final long spikes;
    private final int[][] firing;
    private final int[] crossing;
    private final int[] remaining;
    private final int[] received;
    private final int[] receivedFromSelf;
    private long time;
    private long handled;
    private long sum;

    private BareSpikes(
            Role role, PackedRing out, PackedRing in, PackedRing toSelf, PackedRing fromSelf, MappedBlock spikes) {
        this.out = out;
        this.in = in;
        this.toSelf = toSelf;
        this.fromSelf = fromSelf;
        this.spikes = spikes.address();
        final int rank = role.rank();
        final int other = role.other().rank();
        this.firing = IntStream.range(0, DemoSpikes.STEPS)
                .mapToObj(step -> DemoSpikes.firing(rank, step))
                .toArray(int[][]::new);
        this.crossing = targets(rank, other);
        this.remaining = targets(rank, rank);
        this.received = steps(other, rank);
        this.receivedFromSelf = steps(rank, rank);
        for (int cell = 0; cell < DemoSpikes.CELLS; cell++) {
            UnsafeApi.putLong(spike(cell), DemoSpikes.number(rank, cell));
        }
    }

    static BareSpikes open(Role role, Path directory) throws IOException {
        final MappedBlock spikes =
                MappedBlock.make(directory.resolve("spikes-" + role), DemoSpikes.CELLS * DemoSpikes.SPIKE_BYTES);
        final Path self = directory.resolve("self-" + role);
        final PackedRing toSelf = ring(Role.ORIGIN, self);
        final PackedRing fromSelf = ring(Role.ECHO, self);
        final PackedRing forth = ring(role, directory.resolve("forth"));
        final PackedRing back = ring(role, directory.resolve("back"));
        return role == Role.ORIGIN
                ? new BareSpikes(role, forth, back, toSelf, fromSelf, spikes)
                : new BareSpikes(role, back, forth, toSelf, fromSelf, spikes);
    }

    private static PackedRing ring(Role maker, Path file) throws IOException {
        return PackedRing.open(maker, file, DemoSpikes.SPIKE_BYTES, RING_RECORDS);
    }

    /** Returns the number of targets of each cell of {@code source} at {@code target}. */
    private static int[] targets(int source, int target) {
        return IntStream.range(0, DemoSpikes.CELLS)
                .map(cell -> (int) Arrays.stream(DemoSpikes.targetsOf(source, cell))
                        .filter(rank -> rank == target)
                        .count())
                .toArray();
    }

    /** Returns the number of spikes in each step. */
    private static int[] steps(int source, int target) {
        final int[] counts = IntStream.range(0, DemoSpikes.STEPS)
                .map(step -> DemoSpikes.spikes(source, target, step))
                .toArray();
        if (Arrays.stream(counts).max().orElseThrow() > STEP_LIMIT) {
            throw new IllegalStateException("a step has more spikes than a ring takes: limit=" + STEP_LIMIT);
        }
        return counts;
    }

    private long spike(int cell) {
        return spikes + (long) cell * DemoSpikes.SPIKE_BYTES;
    }

    @Override
    public void run() {
        time++;
        final int step = (int) (time % DemoSpikes.STEPS);
        for (final int cell : firing[step]) {
            final long spike = spike(cell);
            UnsafeApi.putLong(spike + DemoSpikes.TIME_OFFSET, time);
            for (int i = 0; i < crossing[cell]; i++) {
                out.put(spike);
            }
            for (int i = 0; i < remaining[cell]; i++) {
                toSelf.put(spike);
            }
        }
        fromSelf.receive(receivedFromSelf[step], this);
        in.receive(received[step], this);
    }

    @Override
    public void onRecord(long address, int length) {
        handled++;
        for (int offset = 0; offset < length; offset += Long.BYTES) {
            sum += UnsafeApi.getLong(address + offset);
        }
    }

    /** Returns the number of handled spikes. */
    long handled() {
        return handled;
    }

    /** Returns the sum of all words of the handled spikes, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }
}
