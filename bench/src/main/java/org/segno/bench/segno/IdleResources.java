package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * Latency of a message in a node with many idle resources, and its ratio to the latency between two nodes without them.
 *
 * <p>Each is measured in one half of a slice; they take turns in being first.
 */
final class IdleResources implements Side {
    /** Kinds of idle resources. */
    enum Kind {
        /** No idle resources: shows the random deviation of the ratio from 1. */
        IDLE_NONE {
            @Override
            NodeEnd open(Role role, Path directory, Threading threading) {
                return NodeEnd.open(role, directory, threading, NodeConfig.defaults(), WINDOW_BYTES);
            }
        },
        /** All injection FIFOs that a context can have, active. */
        FIFOS_128 {
            @Override
            NodeEnd open(Role role, Path directory, Threading threading) {
                return withFifos(role, directory, threading);
            }
        },
        /** Lanes from ranks that never send, 31 of them in the process of either side, which runs their engines. */
        LANES_63 {
            @Override
            NodeEnd open(Role role, Path directory, Threading threading) {
                final NodeConfig config = NodeConfig.defaults().withPatternBufferBytes(1 << 12);
                return NodeEnd.amongSilent(role, directory, config, WINDOW_BYTES, 64);
            }
        },
        /** Patterns of one put each, recorded and executed once. */
        PATTERNS_10000 {
            @Override
            NodeEnd open(Role role, Path directory, Threading threading) {
                return withPatterns(role, directory, threading);
            }
        };

        abstract NodeEnd open(Role role, Path directory, Threading threading);
    }

    /** Kinds in which each process has one rank, so that one core is enough for its engine. */
    static final Kind[] OF_ONE_RANK = {Kind.IDLE_NONE, Kind.FIFOS_128, Kind.PATTERNS_10000};

    private static final int WINDOW_BYTES = 4096;
    private static final int REPLYING_ID = 2;
    /**
     * Most FIFOs that a node can have: 124 to open, the context's own, that of replies. Recordings and replays have two
     * more.
     */
    private static final int FIFOS = 126;

    private static final int PATTERNS = 10_000;

    private final Side plain;
    private final Side burdened;
    private final SliceFigures plainFigures = new SliceFigures();
    private boolean plainFirst;

    private IdleResources(Side plain, Side burdened) {
        this.plain = plain;
        this.burdened = burdened;
    }

    static IdleResources open(Role role, Path directory, Threading threading, Kind kind) throws IOException {
        final NodeEnd plain = Kind.IDLE_NONE.open(role, Files.createDirectories(directory.resolve("plain")), threading);
        final NodeEnd burdened = kind.open(role, Files.createDirectories(directory.resolve("burdened")), threading);
        return new IdleResources(latency(role, plain), latency(role, burdened));
    }

    private static Side latency(Role role, NodeEnd ends) {
        final Side latency = new GatedSide(new LatencySide(role, SendExchange.over(ends, Long.BYTES)), ends);
        latency.leave();
        return latency;
    }

    private static NodeEnd withFifos(Role role, Path directory, Threading threading) {
        final NodeEnd ends =
                NodeEnd.open(role, directory, threading, NodeConfig.defaults().withFifos(FIFOS), WINDOW_BYTES);
        final Context context = ends.context();
        // The FIFO of replies is active only after a replying handler has been registered.
        context.replyingHandler(REPLYING_ID, (source, buffer, metadataAt, metadataBytes, at, bytes) -> 0);
        for (int i = 0; i < FIFOS - 2; i++) {
            final InjectionFifo fifo = context.injectionFifo();
            while (!fifo.isActive()) {
                context.advance();
            }
        }
        return ends;
    }

    private static NodeEnd withPatterns(Role role, Path directory, Threading threading) {
        final NodeEnd ends = NodeEnd.open(role, directory, threading, NodeConfig.defaults(), WINDOW_BYTES);
        final Context context = ends.context();
        for (int id = 0; id < PATTERNS; id++) {
            final Pattern pattern = context.record(id, Rounds.ORDERED_BY_CALLER, () -> {
                while (context.put(ends.target(), 0, ends.outgoing(), 0, Long.BYTES) == Status.BACK_PRESSURED) {
                    context.advance();
                }
            });
            while (pattern.executedAcquire() < pattern.generation()) {
                context.advance();
            }
        }
        return ends;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        plainFirst = !plainFirst;
        final int half = Math.max(1, operations / 2);
        if (plainFirst) {
            measure(plain, half, plainFigures);
        }
        measure(burdened, half, figures);
        if (!plainFirst) {
            measure(plain, half, plainFigures);
        }
        figures.set(2, figures.get(0) / plainFigures.get(0));
    }

    /** Only the engines that are measured work: those of both pairs would share a core. */
    private static void measure(Side side, int operations, SliceFigures figures) {
        side.enter();
        side.slice(operations, figures);
        side.leave();
    }

    @Override
    public void close() {
        burdened.close();
        plain.close();
    }
}
