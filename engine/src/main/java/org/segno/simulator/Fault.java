package org.segno.simulator;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A kind of fault of a simulation. Each kind is drawn from a stream of its own: the seed gives the same faults of one
 * kind whatever other kinds there are, so that kinds can be omitted one by one.
 */
public enum Fault {
    /** Links with a small part of the usual bandwidth, and with long latency. */
    SLOW,

    /** Directions of links that accept no frame for up to milliseconds. */
    CLOG,

    /** Links with up to milliseconds of additional latency in one direction. */
    STALL,

    /** Links that fail for good, at both ends. Frames in flight are lost. */
    CUT,

    /** Nodes that have no turn for up to milliseconds. */
    PAUSE,

    /** Nodes that have no turn any more. Their links fail, and each other node is notified at a time of its own. */
    CRASH,

    /** Nodes with programs that start seconds later. */
    LATE,

    /** Streams of links that overtake each other by up to a millisecond. */
    REORDER,

    /** The smallest buffers that hold the longest message, and the fewest lanes from linked ranks. */
    SMALL,

    /** A clock and counters that start just below their wrap. */
    WRAP;

    /** Returns the kinds that a seed draws: none, some or all. */
    public static Set<Fault> swarm(long seed) {
        final SplittableRandom random = new SplittableRandom(~seed);
        final Set<Fault> drawn = EnumSet.noneOf(Fault.class);
        for (final Fault fault : values()) {
            if (random.nextInt(4) == 0) {
                drawn.add(fault);
            }
        }
        return drawn;
    }

    /** Returns the source of this kind's faults. */
    SplittableRandom random(long seed) {
        // The hash of a string is the same on every JDK.
        return new SplittableRandom(seed ^ (long) name().hashCode() << Integer.SIZE);
    }
}
