package org.segno.demo.manytomany;

import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.demo.comparison.PhaseTimes;
import org.segno.demo.comparison.SendMode;
import org.segno.demo.halo.RetryingCalls;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.status.Status;

/**
 * Many-to-many exchange, one phase of communication, in any of the three modes.
 *
 * <p>Phases may share windows, as the phases of a program share its arrays. A barrier separates them, and received data
 * are read before the next phase runs. Used by one thread.
 */
public final class ManyToManyExchange {
    /** Connections from this one on serve the rounds without a pattern. */
    private static final int FIRST_PUT_CONNECTION = 1_000;

    private final Context context;
    private final PieceList sent;
    private final Window source;
    private final Window target;
    private final ManyToMany replayed;
    private final PutExchange injected;
    private long landing;

    /**
     * Pieces that a rank sends and receives in a phase.
     *
     * @param sent pieces that are adjacent in the source, in any order
     * @param received pieces that land adjacent to each other
     */
    public record PieceLists(PieceList sent, PieceList received) {}

    /**
     * Windows that phases send from and land in.
     *
     * @param source window with the sent pieces of a phase
     * @param target window with room for twice the received pieces of a phase
     */
    public record Windows(Window source, Window target) {}

    private ManyToManyExchange(
            Context context, PieceList sent, Windows windows, ManyToMany replayed, PutExchange injected) {
        this.context = context;
        this.sent = sent;
        this.source = windows.source();
        this.target = windows.target();
        this.replayed = replayed;
        this.injected = injected;
    }

    /** Opens an exchange. Every rank calls this; {@code connection} distinguishes it from others. */
    public static ManyToManyExchange open(Client client, int connection, PieceLists pieces, Windows windows) {
        final long landingBytes = pieces.received().bytes();
        final Sides sides = new Sides(
                windows.source(),
                pieces.sent().toPieces(),
                new Places(windows.target(), 0, landingBytes, landingBytes),
                pieces.received().toPieces());
        final ManyToMany replayed =
                ManyToMany.open(client, client.context(), connection, sides, RetryingCalls.deadlineNs());
        final PutExchange injected = PutExchange.open(client, FIRST_PUT_CONNECTION + connection, pieces, windows);
        return new ManyToManyExchange(client.context(), pieces.sent(), windows, replayed, injected);
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
        return (int) landing;
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
    public void run(SendMode mode, PhaseTimes times) {
        context.barrier(RetryingCalls.deadlineNs());
        final long deadlineNs = RetryingCalls.deadlineNs();
        final long startNs = System.nanoTime();
        switch (mode) {
            case INJECTED -> injected.startSingly();
            case MULTISEND -> injected.startBatch();
            case REPLAYED -> replay();
        }
        final long startedNs = System.nanoTime();
        if (mode == SendMode.REPLAYED) {
            replayed.await(deadlineNs);
            landing = replayed.landingOffset(replayed.round());
        } else {
            injected.await(deadlineNs);
            landing = injected.landingOffset();
        }
        times.add(startedNs - startNs, System.nanoTime() - startNs);
    }

    private void replay() {
        while (replayed.start() == Status.BACK_PRESSURED) {
            context.advance();
        }
    }
}
