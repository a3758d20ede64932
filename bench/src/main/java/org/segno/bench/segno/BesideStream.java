package org.segno.bench.segno;

import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.LatencyBesideStream;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.context.InjectionFifo;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.status.Status;

/**
 * Ping-pong of SENDs beside PUTs of a long range from its origin to its echo. The PUTs have an injection FIFO of their
 * own, which is never empty during the ping-pong.
 */
final class BesideStream implements Exchange {
    private static final String NAME = "stream";

    /** PUTs that are injected and not executed: while one is, another one waits. */
    private static final int PUTS_AHEAD = 2;

    private final SendExchange messages;
    private final NodeEnd ends;
    private final int range;
    private final InjectionFifo stream;
    private final Target target;

    private BesideStream(NodeEnd ends, int size, int range) {
        this.messages = SendExchange.over(ends, size);
        this.ends = ends;
        this.range = range;
        this.stream = ends.context().injectionFifo();
        ends.client()
                .publish(
                        NAME,
                        ends.client().receptionCounter(ends.incoming(), 0, range, ReceptionCounter.ANYBODY, Right.PUT));
        this.target = ends.context().attach(ends.peer(), NAME, NodeEnd.deadline());
        // Each end looks up a name at the other end. The lookup succeeds only if the other end advances meanwhile.
        ends.context().barrier(NodeEnd.deadline());
    }

    /**
     * Creates one end.
     *
     * @param size payload of a message
     * @param range bytes of a PUT, at most those of the windows of {@code ends}
     */
    static Side over(Role role, NodeEnd ends, int size, int range) {
        final BesideStream exchange = new BesideStream(ends, size, range);
        return new LatencyBesideStream(role, exchange, () -> exchange.stream.descriptors() * range, size);
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            continueStream();
            messages.request(1);
        }
    }

    private void continueStream() {
        while (stream.fill() < PUTS_AHEAD) {
            if (stream.put(target, 0, ends.outgoing(), 0, range) == Status.BACK_PRESSURED) {
                return;
            }
        }
    }

    @Override
    public void reply(int roundTrips) {
        messages.reply(roundTrips);
    }

    @Override
    public void close() {
        messages.close();
    }
}
