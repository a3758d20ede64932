package org.segno.demo.manytomany;

import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.multisend.Pieces;
import org.segno.status.Status;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.comparison.Verification;
import org.segno.demo.comparison.PhaseTimes;
import org.segno.demo.comparison.SendMode;

/**
 * Many-to-many exchange, one phase of communication, in any of the three ways.
 *
 * <p>Phases may share windows, as the phases of a program share its arrays. A barrier separates them, and received data
 * are read before the next phase runs. Used by one thread.
 */
public final class ManyToManyExchange {
    private final Context context;
    private final Pieces sent;
    private final Window source;
    private final Window target;
    private final ManyToMany exchange;

    /**
     * Pieces that a rank sends and receives in a phase.
     *
     * @param sent pieces that are adjacent in the source, in any order
     * @param received pieces that land adjacent to each other
     */
    public record Traffic(Pieces sent, Pieces received) {}

    /**
     * Windows that phases send from and land in.
     *
     * @param source window with the sent pieces of a phase
     * @param target window with room for twice the received pieces of a phase
     */
    public record Windows(Window source, Window target) {}

    /** Opens an exchange. Every rank calls this; {@code connection} distinguishes it from others. */
    public ManyToManyExchange(Client client, int connection, Traffic traffic, Windows windows) {
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
                RetryingCalls.deadlineNs());
    }

    /** Returns the buffer of the sent pieces. */
    public AtomicBuffer source() {
        return source.buffer();
    }

    /** Returns the buffer of the received pieces, which begin at {@link #landing()}. */
    public AtomicBuffer target() {
        return target.buffer();
    }

    /** Returns the offset of the most recently received pieces. */
    public int landing() {
        return (int) exchange.landingOffset(exchange.round());
    }

    /** Returns the number of messages that this rank sends. */
    public long messages() {
        return sent.count();
    }

    /** Returns the number of bytes that this rank sends. */
    public long bytes() {
        return sent.bytes();
    }

    /** Runs one round, which all ranks begin together, and adds its times. */
    public void run(SendMode way, PhaseTimes times, Verification evidence) {
        context.barrier(RetryingCalls.deadlineNs());
        final long deadlineNs = RetryingCalls.deadlineNs();
        final long startNs = System.nanoTime();
        if (way == SendMode.INJECTED) {
            exchange.startSingly(deadlineNs);
        } else {
            exchange.replaying(way == SendMode.REPLAYED);
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
