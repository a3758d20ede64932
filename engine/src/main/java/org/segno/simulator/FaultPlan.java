package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Faults of a simulation by the time at which they begin. */
final class FaultPlan {
    /** No faults. */
    static final FaultPlan NONE = new FaultPlan(null);

    private static final int MOST_FAULTS = 6;
    private static final int WITHIN_NS = 1_000_000;
    private static final int LONGEST_NS = 3_000_000;
    private static final long LATEST_NS = 3_000_000_000L;

    /** Longest time until a node is notified of a crash, or the other end of a link of its failure. */
    private static final int NEWS_NS = 500_000;

    private static final String CRASHED = "crashes";

    private final @Nullable SimulatedJob job;
    private final List<Event> events = new ArrayList<>();
    private int next;

    private FaultPlan(@Nullable SimulatedJob job) {
        this.job = job;
    }

    /** Something that happens at a time. */
    private record Event(long atNs, int rank, Fault fault, String text, Runnable action) {}

    /** Draws the faults of the kinds of a plan, which begin from now on. */
    static FaultPlan draw(SimulationPlan plan, SimulatedJob job) {
        final FaultPlan drawn = new FaultPlan(job);
        for (final Fault fault : plan.faults()) {
            final SplittableRandom random = fault.random(plan.seed());
            switch (fault) {
                case PAUSE -> drawn.pause(random, job);
                case LATE -> drawn.late(random, job);
                case CRASH -> drawn.crash(random, job);
                case STALL, CLOG -> drawn.delay(fault, random, job);
                case CUT -> drawn.cut(random, job);
                default -> {
                    // The job was made with it.
                }
            }
        }
        drawn.events.sort((one, other) -> Long.compare(one.atNs - other.atNs, 0));
        return drawn;
    }

    private void add(long atNs, int rank, Fault fault, String text, Runnable action) {
        events.add(new Event(atNs, rank, fault, text, action));
    }

    private void pause(SplittableRandom random, SimulatedJob job) {
        for (int i = random.nextInt(1, MOST_FAULTS); i > 0; i--) {
            final SimulatedNode node =
                    job.nodes().get(random.nextInt(job.nodes().size()));
            final long atNs = job.time().nowNs() + random.nextInt(WITHIN_NS);
            final long untilNs = atNs + random.nextInt(1, LONGEST_NS);
            add(atNs, node.rank(), Fault.PAUSE, "", () -> node.pause(untilNs));
        }
    }

    private void late(SplittableRandom random, SimulatedJob job) {
        final SimulatedNode node = job.nodes().get(random.nextInt(job.nodes().size()));
        final long atNs = job.time().nowNs();
        final long untilNs = atNs + random.nextLong(LATEST_NS);
        add(atNs, node.rank(), Fault.LATE, "", () -> node.pause(untilNs));
    }

    private void delay(Fault fault, SplittableRandom random, SimulatedJob job) {
        for (int i = random.nextInt(1, MOST_FAULTS); i > 0 && !job.wires().isEmpty(); i--) {
            final int index = random.nextInt(job.wires().size());
            final Wire wire = job.wires().get(index);
            final long atNs = job.time().nowNs() + random.nextInt(WITHIN_NS);
            final long untilNs = atNs + random.nextInt(1, LONGEST_NS);
            if (fault == Fault.STALL) {
                add(atNs, wire.sender(), fault, "link to rank " + wire.receiver(), () -> wire.stall(untilNs));
            } else {
                add(atNs, wire.sender(), fault, "link to rank " + wire.receiver(), () -> wire.clog(untilNs));
            }
        }
    }

    private void cut(SplittableRandom random, SimulatedJob job) {
        for (int i = random.nextInt(1, 3); i > 0 && !job.wires().isEmpty(); i--) {
            final Wire wire = job.wires().get(random.nextInt(job.wires().size()));
            final long atNs = job.time().nowNs() + random.nextInt(WITHIN_NS);
            final int from = wire.sender();
            final int to = wire.receiver();
            add(atNs, from, Fault.CUT, "link to rank " + to, () -> {
                job.ledger().cut(from, to);
                job.fail(from, to);
            });
            add(atNs + random.nextInt(NEWS_NS), to, Fault.CUT, "link to rank " + from, () -> job.fail(to, from));
        }
    }

    /** Crashes some nodes, but never all. */
    private void crash(SplittableRandom random, SimulatedJob job) {
        final int size = job.nodes().size();
        for (int i = random.nextInt(1, 3); i > 0 && i < size; i--) {
            final int rank = random.nextInt(size);
            final long atNs = job.time().nowNs() + random.nextInt(WITHIN_NS);
            final boolean isLast =
                    events.stream().filter(event -> event.text.equals(CRASHED)).count() + 1 >= size;
            if (isLast) {
                return;
            }
            add(atNs, rank, Fault.CRASH, CRASHED, () -> job.crash(rank));
            for (int other = 0; other < size; other++) {
                final int told = other;
                final long failsNs = atNs + random.nextInt(NEWS_NS);
                final long deadNs = atNs + random.nextInt(NEWS_NS);
                if (told != rank) {
                    add(failsNs, told, Fault.CRASH, "link to rank " + rank + " fails", () -> {
                        if (job.nodes().get(rank).isCrashed()) {
                            job.fail(told, rank);
                        }
                    });
                    add(deadNs, told, Fault.CRASH, "rank " + rank + " is dead", () -> {
                        if (job.nodes().get(rank).isCrashed()) {
                            job.tellDead(told, rank);
                        }
                    });
                }
            }
        }
    }

    /** Returns true once all faults have begun. */
    boolean isOver() {
        return next == events.size();
    }

    /** Begins the next fault if it is due until a time. Returns true if it was. */
    boolean begin(long untilNs) {
        if (job == null || next == events.size() || events.get(next).atNs - untilNs > 0) {
            return false;
        }
        final Event event = events.get(next++);
        job.time().advanceTo(event.atNs);
        job.events().add(EventHash.FAULT, event.rank, event.fault.name().hashCode());
        job.events().trace(event.rank, event.fault.name().toLowerCase(Locale.ROOT), () -> event.text);
        event.action.run();
        return true;
    }
}
