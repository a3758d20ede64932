package org.segno.bench.segno;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.agrona.BitUtil;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.TimedRound;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.multisend.Multicast;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Status;

/**
 * One step of the spikes: a SEND to each target of each firing cell, replayed by a multicast for each cell or injected
 * one by one. A round is complete when all spikes of the step were handled.
 */
final class SpikeRound implements TimedRound {
    private static final int DISPATCH_ID = 1;
    private static final int DESCRIPTOR_BYTES = 64;
    private static final int OTHER_DESCRIPTORS = 128;

    private final Node node;
    private final EngineGate gate;
    private final Context context;
    private final boolean replayed;
    private final Window spikes;
    private final Multicast[] multicasts = new Multicast[DemoSpikes.CELLS];
    private final long[][] targets = new long[DemoSpikes.CELLS][];
    private final int[][] firing = new int[DemoSpikes.STEPS][];
    private final int[] expected = new int[DemoSpikes.STEPS];
    private final Message message = new Message();
    private final ReadingHandler handler = new ReadingHandler();
    private long awaited;
    private long time;

    private SpikeRound(Node node, int rank, boolean replayed, EngineGate gate) {
        this.node = node;
        this.gate = gate;
        gate.awaitBound();
        this.context = node.client().context();
        this.replayed = replayed;
        this.spikes = node.client().window((long) DemoSpikes.CELLS * DemoSpikes.SPIKE_BYTES);
        context.handler(DISPATCH_ID, handler);
        message.payload(spikes, 0, 0);
        for (int cell = 0; cell < DemoSpikes.CELLS; cell++) {
            targets[cell] = Arrays.stream(DemoSpikes.targetsOf(rank, cell))
                    .mapToLong(target -> Endpoint.of(target, 0, 0, 0))
                    .toArray();
            multicasts[cell] = new Multicast(context, DISPATCH_ID, spikes, targets[cell])
                    .metadata(spikes, offset(cell), DemoSpikes.SPIKE_BYTES);
            spikes.buffer().putLong(offset(cell), DemoSpikes.number(rank, cell));
        }
        for (int step = 0; step < DemoSpikes.STEPS; step++) {
            firing[step] = DemoSpikes.firing(rank, step);
            for (int source = 0; source < DemoExchange.RANKS; source++) {
                expected[step] += DemoSpikes.spikes(source, rank, step);
            }
        }
        context.barrier(NodeEnd.deadline());
    }

    static SpikeRound open(Role role, Path directory, boolean replayed, Threading threading) {
        final EngineGate gate = EngineGate.of(threading);
        return open(role, directory, replayed, config -> gate.configure(config, threading), gate);
    }

    /** Opens one end of the replayed spikes between nodes that a link joins. */
    static SpikeRound linked(Role role, Path directory) {
        return open(role, directory, true, LinkedEnds::linked, EngineGate.invoked());
    }

    private static SpikeRound open(
            Role role, Path directory, boolean replayed, UnaryOperator<NodeConfig> settings, EngineGate gate) {
        final long descriptors = (long) DemoSpikes.CELLS * DemoSpikes.TARGETS + OTHER_DESCRIPTORS;
        final NodeConfig config = NodeConfig.defaults()
                .withFifoSlots(BitUtil.findNextPositivePowerOfTwo(DemoSpikes.FIRING * DemoSpikes.TARGETS))
                .withRunSlots(BitUtil.findNextPositivePowerOfTwo(DemoSpikes.FIRING))
                .withPatterns(DemoSpikes.CELLS + 8)
                .withPatternBufferBytes(DESCRIPTOR_BYTES * descriptors)
                .withWindowBytes((long) DemoSpikes.CELLS * DemoSpikes.SPIKE_BYTES + DESCRIPTOR_BYTES);
        final Node node = NodeEnd.join(directory, settings.apply(config), role.rank(), 1, DemoExchange.RANKS)
                .get(0);
        return new SpikeRound(node, role.rank(), replayed, gate);
    }

    private static int offset(int cell) {
        return cell * DemoSpikes.SPIKE_BYTES;
    }

    @Override
    public void run() {
        time++;
        final int step = (int) (time % DemoSpikes.STEPS);
        for (final int cell : firing[step]) {
            spikes.buffer().putLong(offset(cell) + DemoSpikes.TIME_OFFSET, time);
            if (replayed) {
                replay(cell);
            } else {
                send(cell);
            }
        }
        awaited += expected[step];
        int spins = 0;
        while (handler.received() < awaited || !context.isDrained()) {
            spins = gate.pause(context.advance(), spins);
        }
    }

    private void replay(int cell) {
        while (multicasts[cell].start() == Status.BACK_PRESSURED) {
            context.advance();
        }
    }

    private void send(int cell) {
        message.metadata(spikes, offset(cell), DemoSpikes.SPIKE_BYTES);
        for (final long target : targets[cell]) {
            message.to(target, DISPATCH_ID);
            while (context.send(message) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }

    Context context() {
        return context;
    }

    /** Returns the side that lets the engine work while {@code measured} is measured. */
    Side gated(Side measured) {
        return new GatedSide(measured, gate, context);
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return handler.sum();
    }

    @Override
    public void close() {
        gate.open();
        NodeEnd.close(List.of(node));
    }
}
