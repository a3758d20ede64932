package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Faults of a simulation by the time at which they begin: directions of links that stall, and nodes that pause. */
final class FaultPlan {
    private static final int MOST_FAULTS = 8;
    private static final int WITHIN_NS = 2_000_000;
    private static final int LONGEST_NS = 3_000_000;

    private final List<Event> faults;
    private int next;

    private FaultPlan(List<Event> faults) {
        this.faults = faults;
    }

    /** A fault. Its action receives the time at which it ends. */
    private record Event(long atNs, long lengthNs, Action action) {}

    @FunctionalInterface
    private interface Action {
        void begin(long untilNs);
    }

    static FaultPlan none() {
        return new FaultPlan(List.of());
    }

    static FaultPlan draw(RandomGenerator random, List<SimulatedNode> nodes, List<Wire> wires) {
        final List<Event> drawn = new ArrayList<>();
        final int count = random.nextInt(MOST_FAULTS + 1);
        for (int i = 0; i < count; i++) {
            final boolean stalls = !wires.isEmpty() && random.nextBoolean();
            final Action action = stalls
                    ? wires.get(random.nextInt(wires.size()))::stall
                    : nodes.get(random.nextInt(nodes.size()))::pause;
            drawn.add(new Event(random.nextInt(WITHIN_NS), random.nextInt(1, LONGEST_NS), action));
        }
        drawn.sort((one, other) -> Long.compare(one.atNs, other.atNs));
        return new FaultPlan(drawn);
    }

    /** Begins the faults that are due. */
    void apply(long sinceStartNs, long nowNs) {
        while (next < faults.size() && faults.get(next).atNs <= sinceStartNs) {
            final Event fault = faults.get(next);
            fault.action.begin(nowNs + fault.lengthNs);
            next++;
        }
    }
}
