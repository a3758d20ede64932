package org.segno.demo.neighbours;

import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Client;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.PhaseTimes;
import org.segno.demo.comparison.SendMode;
import org.segno.demo.comparison.Verification;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.manytomany.ManyToManyExchange;
import org.segno.demo.manytomany.ManyToManyExchange.Windows;

/**
 * Exchange with all neighbours. Every element encodes its sender, its direction and its round. Used by the rank's only
 * thread.
 */
final class NeighbourExchange implements MeasuredExchange {
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final NeighbourPlan plan;
    private final ManyToManyExchange exchange;
    private long round;

    NeighbourExchange(Client client, int connection, NeighbourPlan plan, Windows windows) {
        this.plan = plan;
        this.exchange = ManyToManyExchange.open(client, connection, plan.pieces(), windows);
    }

    @Override
    public String title() {
        return plan.neighbourhood().toString();
    }

    @Override
    public int phases() {
        return 1;
    }

    @Override
    public long messages() {
        return exchange.messages();
    }

    @Override
    public long bytes() {
        return exchange.bytes();
    }

    @Override
    public void iterate(SendMode mode, PhaseTimes times, Verification verification) {
        round++;
        fill();
        exchange.run(mode, times);
        check(verification);
    }

    private void fill() {
        final VirtualRanks ranks = plan.ranks();
        final int first = ranks.first(plan.rank());
        final int end = ranks.first(plan.rank() + 1);
        final int directions = plan.neighbourhood().directions();
        final AtomicBuffer source = exchange.source();
        for (int virtual = first; virtual < end; virtual++) {
            for (int direction = 0; direction < directions; direction++) {
                final int slot = (int) plan.slot(virtual, direction);
                for (int offset = 0; offset < plan.bytes(); offset += Long.BYTES) {
                    source.putLong(slot + offset, element(virtual, direction, offset));
                }
            }
        }
    }

    /** Checks every received element of the last round. */
    void check(Verification verification) {
        final VirtualRanks ranks = plan.ranks();
        final int first = ranks.first(plan.rank());
        final int end = ranks.first(plan.rank() + 1);
        final int directions = plan.neighbourhood().directions();
        final AtomicBuffer target = exchange.target();
        for (int virtual = first; virtual < end; virtual++) {
            for (int direction = 0; direction < directions; direction++) {
                final int slot = (int) plan.slot(virtual, direction);
                final int sender = plan.neighbourhood().neighbour(virtual, direction);
                final int sentTo = plan.neighbourhood().opposite(direction);
                for (int offset = 0; offset < plan.bytes(); offset += Long.BYTES) {
                    verification.checkEqual(
                            "element",
                            (slot + offset) / Long.BYTES,
                            element(sender, sentTo, offset),
                            target.getLong(exchange.landing() + slot + offset));
                }
            }
        }
    }

    private long element(int virtual, int direction, int offset) {
        return (((round * plan.ranks().count() + virtual) * plan.neighbourhood().directions() + direction)
                                * plan.bytes()
                        + offset)
                * SPREAD;
    }
}
