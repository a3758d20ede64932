package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.RoundSide;
import org.segno.bench.experiment.ServedSide;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.TimedRound;
import org.segno.context.Context;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Jobs of two ranks in two processes of this host, which a link over Aeron joins. All experiments of a process that
 * have the same length of datagrams share a job, but for those whose nodes have a configuration of their own.
 */
final class LinkedEnds {
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int FIFO_SLOTS = 1024;
    private static final String MTU_PROPERTY = "segno.mtu";
    private static final String NET_PROPERTY = "segno.net";

    private static final Map<End, NodeEnd> OPEN = new ConcurrentHashMap<>();

    private LinkedEnds() {}

    /**
     * One end of the links.
     *
     * @param mtu bytes of the longest datagram's payload
     */
    record End(LinkNetwork network, Role role, int mtu) {}

    /** Measurement between open ends, which it closes. */
    @FunctionalInterface
    interface Measurement {
        Side of(NodeEnd ends) throws IOException;
    }

    /** Configuration of a node, which names the transport; its application runs its engine. */
    static NodeConfig linked(NodeConfig config) {
        return config.withTransport("aeron").withThreading(Threading.INVOKER);
    }

    /** Opens one end of a measurement. The directory of the first experiment with these datagrams is that of the job. */
    static Side open(End end, Path directory, Measurement measurement) throws IOException {
        final NodeEnd known = OPEN.get(end);
        final NodeEnd ends = known == null || known.users() == 0 ? join(end, directory) : known.share();
        OPEN.put(end, ends);
        return ServedSide.of(end.role, directory, new GatedSide(measurement.of(ends), ends), advancing(ends.context()));
    }

    private static NodeEnd join(End end, Path directory) {
        return joining(
                end,
                () -> NodeEnd.open(
                        end.role,
                        directory,
                        Threading.INVOKER,
                        linked(NodeConfig.defaults()).withFifoSlots(FIFO_SLOTS),
                        WINDOW_BYTES));
    }

    /**
     * Opens one end of a demo's exchange.
     *
     * @param round opens the exchange with a node of its own, which it closes
     * @param context context of that node
     */
    static <T extends TimedRound> Side openRound(
            End end, Path directory, Supplier<T> round, Function<T, Context> context) throws IOException {
        final T opened = joining(end, round);
        return ServedSide.of(end.role, directory, new RoundSide(end.role, opened), advancing(context.apply(opened)));
    }

    /** Joins a job with the settings of links, which are those of the process, and the transport reads then. */
    private static <T> T joining(End end, Supplier<T> join) {
        System.setProperty(MTU_PROPERTY, Integer.toString(end.mtu));
        if (end.network.isBetweenNamespaces()) {
            System.setProperty(NET_PROPERTY, end.network.address(end.role));
        }
        try {
            return join.get();
        } finally {
            System.clearProperty(MTU_PROPERTY);
            System.clearProperty(NET_PROPERTY);
        }
    }

    /** Returns the server of an end, which advances its context. */
    static ServedSide.Server advancing(Context context) {
        return new Advancing(context);
    }

    /** Advances the context: otherwise messages to this rank are received only every 10 ms. */
    private record Advancing(Context context) implements ServedSide.Server {
        @Override
        public void serve() {
            context.advance();
        }

        @Override
        public boolean isAtRest() {
            return context.isDrained();
        }
    }
}
