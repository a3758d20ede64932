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
            NodeEnd open(Role role, Path directory) {
                return NodeEnd.open(role, directory, Threading.INVOKER, NodeConfig.defaults(), WINDOW_BYTES);
            }
        },
        /** All injection FIFOs that a context can have, active. */
        FIFOS_128 {
            @Override
            NodeEnd open(Role role, Path directory) {
                return withFifos(role, directory);
            }
        },
        /** Lanes from ranks that never send, 31 of them in the process of either side. */
        LANES_63 {
            @Override
            NodeEnd open(Role role, Path directory) {
                final NodeConfig config = NodeConfig.defaults().withPatternBufferBytes(1 << 12);
                return NodeEnd.amongSilent(role, directory, config, WINDOW_BYTES, 64);
            }
        },
        /** Patterns of one put each, recorded and executed once. */
        PATTERNS_10000 {
            @Override
            NodeEnd open(Role role, Path directory) {
                return withPatterns(role, directory);
            }
        };

        abstract NodeEnd open(Role role, Path directory);
    }

    private static final int WINDOW_BYTES = 4096;
    private static final int REPLYING_ID = 2;
    /**
     * Most FIFOs that a node can have: 124 to open, the context's own, that of replies. Recordings and replays have two
     * more.
     */
    private static final int FIFOS = 126;

    private static final int PATTERNS = 10_000;

    private final LatencySide plain;
    private final LatencySide burdened;
    private final SliceFigures plainFigures = new SliceFigures();
    private boolean plainFirst;

    private IdleResources(LatencySide plain, LatencySide burdened) {
        this.plain = plain;
        this.burdened = burdened;
    }

    static IdleResources open(Role role, Path directory, Kind kind) throws IOException {
        final NodeEnd plain = Kind.IDLE_NONE.open(role, Files.createDirectories(directory.resolve("plain")));
        final NodeEnd burdened = kind.open(role, Files.createDirectories(directory.resolve("burdened")));
        return new IdleResources(
                new LatencySide(role, SendExchange.over(plain, Long.BYTES)),
                new LatencySide(role, SendExchange.over(burdened, Long.BYTES)));
    }

    private static NodeEnd withFifos(Role role, Path directory) {
        final NodeEnd ends = NodeEnd.open(
                role, directory, Threading.INVOKER, NodeConfig.defaults().withFifos(FIFOS), WINDOW_BYTES);
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

    private static NodeEnd withPatterns(Role role, Path directory) {
        final NodeEnd ends = NodeEnd.open(role, directory, Threading.INVOKER, NodeConfig.defaults(), WINDOW_BYTES);
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
            plain.slice(half, plainFigures);
        }
        burdened.slice(half, figures);
        if (!plainFirst) {
            plain.slice(half, plainFigures);
        }
        figures.set(2, figures.get(0) / plainFigures.get(0));
    }

    @Override
    public void close() {
        burdened.close();
        plain.close();
    }
}
