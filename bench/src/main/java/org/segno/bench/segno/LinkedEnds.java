package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.ServedSide;
import org.segno.bench.experiment.Side;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Jobs of two ranks in two processes of this host, which a link over Aeron and the loopback interface joins. All
 * experiments of a process that have the same length of datagrams share a job.
 */
final class LinkedEnds {
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int FIFO_SLOTS = 1024;
    private static final String MTU_PROPERTY = "segno.mtu";

    private static final Map<End, NodeEnd> OPEN = new ConcurrentHashMap<>();

    private LinkedEnds() {}

    private record End(Role role, int mtu) {}

    /** Measurement between open ends, which it closes. */
    @FunctionalInterface
    interface Measurement {
        Side of(NodeEnd ends) throws IOException;
    }

    /**
     * Opens one end of a measurement. The directory of the first experiment with these datagrams is that of the job.
     *
     * @param mtu bytes of the longest datagram's payload
     */
    static Side open(Role role, Path directory, int mtu, Measurement measurement) throws IOException {
        final NodeEnd known = OPEN.get(new End(role, mtu));
        final NodeEnd ends = known == null || known.users() == 0 ? join(role, directory, mtu) : known.share();
        OPEN.put(new End(role, mtu), ends);
        return ServedSide.of(role, directory, new GatedSide(measurement.of(ends), ends), advancing(ends));
    }

    private static NodeEnd join(Role role, Path directory, int mtu) {
        // A setting of the process, which the transport reads as the node joins.
        System.setProperty(MTU_PROPERTY, Integer.toString(mtu));
        try {
            return NodeEnd.open(
                    role,
                    directory,
                    Threading.INVOKER,
                    NodeConfig.defaults().withTransport("aeron").withFifoSlots(FIFO_SLOTS),
                    WINDOW_BYTES);
        } finally {
            System.clearProperty(MTU_PROPERTY);
        }
    }

    /** Returns the server of an end, which advances its context. */
    static ServedSide.Server advancing(NodeEnd ends) {
        return new Advancing(ends);
    }

    /** Nothing lands, and nothing is acknowledged, unless the receiver advances. */
    private record Advancing(NodeEnd ends) implements ServedSide.Server {
        @Override
        public void serve() {
            ends.context().advance();
        }

        @Override
        public boolean isAtRest() {
            return ends.context().isDrained();
        }
    }
}
