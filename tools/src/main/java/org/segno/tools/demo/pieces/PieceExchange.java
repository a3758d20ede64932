package org.segno.tools.demo.pieces;

import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.multisend.Pieces;
import org.segno.status.Status;
import org.segno.tools.demo.halo.Puts;
import org.segno.tools.demo.ways.Evidence;
import org.segno.tools.demo.ways.PhaseTimes;
import org.segno.tools.demo.ways.Way;

/**
 * A many-to-many exchange, one phase of communication, in any of the three ways. Phases may share windows, as the phases of a program
 * share its arrays: a barrier keeps them apart, what has come is read before the next one is run. Used by one thread.
 */
public final class PieceExchange {
    private final Context context;
    private final Pieces sent;
    private final Window source;
    private final Window target;
    private final ManyToMany exchange;

    /**
     * What a rank sends and receives in a phase.
     *
     * @param sent pieces that lie side by side in the source, in any order.
     * @param received pieces that land side by side.
     */
    public record Traffic(Pieces sent, Pieces received) {}

    /**
     * Where phases send from and land.
     *
     * @param source holds what a phase sends.
     * @param target holds twice what a phase receives.
     */
    public record Windows(Window source, Window target) {}

    /** Opens an exchange, which all ranks do; {@code connection} tells it from others. */
    public PieceExchange(Client client, int connection, Traffic traffic, Windows windows) {
        this.context = client.context();
        this.sent = traffic.sent();
        final long landing = traffic.received().bytes();
        this.source = windows.source();
        this.target = windows.target();
        this.exchange = ManyToMany.open(
                client,
                context,
                connection,
                new Sides(source, sent, new Places(target, 0, landing, landing), traffic.received()),
                Puts.deadlineNs());
    }

    /** Where the pieces lie that are sent. */
    public AtomicBuffer source() {
        return source.buffer();
    }

    /** Holds what has come, from {@link #landing()} on. */
    public AtomicBuffer target() {
        return target.buffer();
    }

    /** Where what came last begins. */
    public int landing() {
        return (int) exchange.landingOffset(exchange.round());
    }

    /** Messages that this rank sends. */
    public long messages() {
        return sent.count();
    }

    /** Bytes that this rank sends. */
    public long bytes() {
        return sent.bytes();
    }

    /** One round, begun by all ranks at once; adds its times. */
    public void run(Way way, PhaseTimes times, Evidence evidence) {
        context.barrier(Puts.deadlineNs());
        final long deadlineNs = Puts.deadlineNs();
        final long startNs = System.nanoTime();
        if (way == Way.INJECTED) {
            exchange.startSingly(deadlineNs);
        } else {
            exchange.replaying(way == Way.REPLAYED);
            while (exchange.start() == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
        final long startedNs = System.nanoTime();
        exchange.await(deadlineNs);
        times.add(startedNs - startNs, System.nanoTime() - startNs);
        if (evidence.corrupts()) {
            target().putLong(landing(), ~target().getLong(landing()));
        }
    }
}
