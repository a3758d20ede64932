package org.segno.demo.spikes;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.multisend.Multicast;
import org.segno.node.Node;
import org.segno.operation.Message;
import org.segno.status.Status;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.comparison.Verification;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.PhaseTimes;
import org.segno.demo.comparison.SendMode;

/** One step: some cells fire, and each sends its number and the time to its targets. Used by the rank's only thread. */
final class SpikeExchange implements MeasuredExchange {
    private static final int DISPATCH = 1;

    private final Cells cells;
    private final Context context;
    private final Window metadata;
    private final Multicast[] casts;
    private final long[][] targets;
    private final int[][] firing = new int[Cells.STEPS][];
    private final long[] expectedCount = new long[Cells.STEPS];
    private final long[] expectedCells = new long[Cells.STEPS];
    private final ReceivedSpikes arrivals = new ReceivedSpikes();
    private final Message message = new Message();
    private final BooleanSupplier done = this::isDone;
    private long time;
    private int step;

    SpikeExchange(Node node, Cells cells, int rank) {
        this.cells = cells;
        this.context = node.client().context();
        this.metadata = node.client().window((long) cells.perRank() * ReceivedSpikes.SPIKE_BYTES);
        this.casts = new Multicast[cells.perRank()];
        this.targets = new long[cells.perRank()][];
        context.handler(DISPATCH, arrivals);
        message.payload(metadata, 0, 0);
        for (int cell = 0; cell < casts.length; cell++) {
            targets[cell] = Arrays.stream(cells.targetsOf(rank, cell))
                    .mapToLong(target -> Endpoint.of(target, 0, 0, 0))
                    .toArray();
            casts[cell] = new Multicast(context, DISPATCH, metadata, targets[cell])
                    .metadata(metadata, place(cell), ReceivedSpikes.SPIKE_BYTES);
            metadata.buffer().putLong((int) place(cell), cells.number(rank, cell));
        }
        for (int next = 0; next < Cells.STEPS; next++) {
            firing[next] = cells.firing(rank, next);
        }
        for (int source = 0; source < node.size(); source++) {
            expect(source, rank);
        }
    }

    private void expect(int source, int rank) {
        final long[] told = new long[cells.perRank()];
        for (int cell = 0; cell < told.length; cell++) {
            told[cell] = Arrays.stream(cells.targetsOf(source, cell))
                    .filter(target -> target == rank)
                    .count();
        }
        for (int next = 0; next < Cells.STEPS; next++) {
            for (final int cell : cells.firing(source, next)) {
                expectedCount[next] += told[cell];
                expectedCells[next] += told[cell] * cells.number(source, cell);
            }
        }
    }

    private static long place(int cell) {
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
    public void iterate(SendMode way, PhaseTimes times, Verification evidence) {
        time++;
        step = (int) (time % Cells.STEPS);
        arrivals.reset();
        // No rank may receive a spike before it has reset the counts of the last step.
        final long deadlineNs = RetryingCalls.deadlineNs();
        context.barrier(deadlineNs);
        final long startNs = System.nanoTime();
        for (final int cell : firing[step]) {
            metadata.buffer().putLong((int) place(cell) + ReceivedSpikes.TIME_OFFSET, time);
            if (way == SendMode.INJECTED) {
                sendSingly(cell);
            } else {
                cast(casts[cell].replaying(way == SendMode.REPLAYED));
            }
        }
        final long startedNs = System.nanoTime();
        context.await(done, deadlineNs);
        times.add(startedNs - startNs, System.nanoTime() - startNs);
        // After the barrier, spikes beyond the expected number have arrived too.
        context.barrier(deadlineNs);
        if (evidence.corrupts()) {
            arrivals.corrupt();
        }
        evidence.same("count of spikes in step", time, expectedCount[step], arrivals.count());
        evidence.same("sum of cells in step", time, expectedCells[step], arrivals.cells());
        evidence.same("sum of cells times time in step", time, expectedCells[step] * time, arrivals.cellTimes());
    }

    private boolean isDone() {
        return arrivals.count() >= expectedCount[step] && context.isDrained();
    }

    private void cast(Multicast cast) {
        while (cast.start() == Status.BACK_PRESSURED) {
            context.advance();
        }
    }

    private void sendSingly(int cell) {
        message.metadata(metadata, place(cell), ReceivedSpikes.SPIKE_BYTES);
        for (final long target : targets[cell]) {
            message.to(target, DISPATCH);
            while (context.send(message) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }
}
