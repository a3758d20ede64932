package org.segno.demo.spikes;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.segno.context.Context;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.PhaseTimes;
import org.segno.demo.comparison.SendMode;
import org.segno.demo.comparison.Verification;
import org.segno.demo.halo.RetryingCalls;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.multisend.Multicast;
import org.segno.node.Node;
import org.segno.operation.Message;
import org.segno.status.Status;

/** One step: some cells fire, and each sends its number and the time to its targets. Used by the rank's only thread. */
final class SpikeExchange implements MeasuredExchange {
    private static final int DISPATCH = 1;

    /** Targets of a multicast descriptor, at most. */
    private static final int DESCRIPTOR_TARGETS = 5;

    private final Cells cells;
    private final Context context;
    private final Window metadata;
    private final Multicast[] multicasts;
    private final long[][] targets;
    private final int[][] firing = new int[Cells.STEPS][];
    private final long[] expectedCount = new long[Cells.STEPS];
    private final long[] expectedCells = new long[Cells.STEPS];
    private final ReceivedSpikes received = new ReceivedSpikes();
    private final Message message = new Message();
    private final Runnable multicastParts = this::multicastParts;
    private final BooleanSupplier done = this::isDone;
    private long time;
    private int step;
    private long[] currentTargets = {};

    SpikeExchange(Node node, Cells cells, int rank) {
        this.cells = cells;
        this.context = node.client().context();
        this.metadata = node.client().window((long) cells.perRank() * ReceivedSpikes.SPIKE_BYTES);
        this.multicasts = new Multicast[cells.perRank()];
        this.targets = new long[cells.perRank()][];
        context.handler(DISPATCH, received);
        message.payload(metadata, 0, 0);
        for (int cell = 0; cell < multicasts.length; cell++) {
            targets[cell] = Arrays.stream(cells.targetsOf(rank, cell))
                    .mapToLong(target -> Endpoint.of(target, 0, 0, 0))
                    .toArray();
            multicasts[cell] = new Multicast(context, DISPATCH, metadata, targets[cell])
                    .metadata(metadata, offset(cell), ReceivedSpikes.SPIKE_BYTES);
            metadata.buffer().putLong((int) offset(cell), cells.number(rank, cell));
        }
        for (int next = 0; next < Cells.STEPS; next++) {
            firing[next] = cells.firing(rank, next);
        }
        for (int source = 0; source < node.size(); source++) {
            expect(source, rank);
        }
    }

    private void expect(int source, int rank) {
        final long[] messages = new long[cells.perRank()];
        for (int cell = 0; cell < messages.length; cell++) {
            messages[cell] = Arrays.stream(cells.targetsOf(source, cell))
                    .filter(target -> target == rank)
                    .count();
        }
        for (int next = 0; next < Cells.STEPS; next++) {
            for (final int cell : cells.firing(source, next)) {
                expectedCount[next] += messages[cell];
                expectedCells[next] += messages[cell] * cells.number(source, cell);
            }
        }
    }

    /** Returns the offset of a cell's spike in the window of metadata. */
    private static long offset(int cell) {
        return (long) cell * ReceivedSpikes.SPIKE_BYTES;
    }

    @Override
    public String title() {
        return "spikes of " + ReceivedSpikes.SPIKE_BYTES + " bytes, " + cells.spikes() + " cells fire";
    }

    @Override
    public int phases() {
        return 1;
    }

    @Override
    public long messages() {
        return (long) cells.spikes() * cells.targets();
    }

    @Override
    public long bytes() {
        return messages() * ReceivedSpikes.SPIKE_BYTES;
    }

    @Override
    public void iterate(SendMode mode, PhaseTimes times, Verification verification) {
        time++;
        step = (int) (time % Cells.STEPS);
        received.reset();
        // No rank may receive a spike before it has reset the counts of the last step.
        final long deadlineNs = RetryingCalls.deadlineNs();
        context.barrier(deadlineNs);
        final long startNs = System.nanoTime();
        for (final int cell : firing[step]) {
            metadata.buffer().putLong((int) offset(cell) + ReceivedSpikes.TIME_OFFSET, time);
            switch (mode) {
                case INJECTED -> sendSingly(cell);
                case MULTISEND -> sendBatch(cell);
                case REPLAYED -> replay(cell);
            }
        }
        final long startedNs = System.nanoTime();
        context.await(done, deadlineNs);
        times.add(startedNs - startNs, System.nanoTime() - startNs);
        // After the barrier, spikes beyond the expected number have arrived too.
        context.barrier(deadlineNs);
        check(verification);
    }

    /** Checks the spikes received in the last step. */
    void check(Verification verification) {
        verification.checkEqual("count of spikes in step", time, expectedCount[step], received.count());
        verification.checkEqual("sum of cells in step", time, expectedCells[step], received.cells());
        verification.checkEqual(
                "sum of cells times time in step", time, expectedCells[step] * time, received.cellTimes());
    }

    private boolean isDone() {
        return received.count() >= expectedCount[step] && context.isDrained();
    }

    private void sendSingly(int cell) {
        message.metadata(metadata, offset(cell), ReceivedSpikes.SPIKE_BYTES);
        for (final long target : targets[cell]) {
            message.to(target, DISPATCH);
            while (context.send(message) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }

    private void sendBatch(int cell) {
        currentTargets = targets[cell];
        message.to(currentTargets[0], DISPATCH).metadata(metadata, offset(cell), ReceivedSpikes.SPIKE_BYTES);
        final int descriptors = (currentTargets.length + DESCRIPTOR_TARGETS - 1) / DESCRIPTOR_TARGETS;
        while (context.batch(descriptors, multicastParts) == Status.BACK_PRESSURED) {
            context.advance();
        }
    }

    private void multicastParts() {
        for (int first = 0; first < currentTargets.length; first += DESCRIPTOR_TARGETS) {
            final int count = Math.min(DESCRIPTOR_TARGETS, currentTargets.length - first);
            context.multicast(message, currentTargets, first, count);
        }
    }

    private void replay(int cell) {
        while (multicasts[cell].start() == Status.BACK_PRESSURED) {
            context.advance();
        }
    }
}
