package org.segno.bench.goals;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Goal of a figure of links, beside another figure of the same run or alone. The names of rows have {@code %d} for the
 * length of datagrams.
 *
 * @param measure description for people
 * @param row row of the figure
 * @param beside row of the figure that it is divided by, or that is divided by it; empty for a figure without another
 * @param bound limit of the ratio or of the figure; NaN to report it only
 * @param isUpper true if the bound is an upper one
 * @param mtus lengths of datagrams for which the goal holds
 */
record LinkGoal(String measure, String row, String beside, double bound, boolean isUpper, Mtus mtus) {
    /** Shortest datagrams of which each holds many messages of 64 bytes. */
    private static final int LONG_MTU = 8192;

    private static final String SEGNO = "Segno INVOKER over Aeron, MTU %d";
    private static final String AERON = "Aeron UDP, MTU %d";
    private static final String YIELDING = "Aeron UDP, yielding driver thread, MTU %d";
    private static final String SINGLY = "Aeron UDP, a message each, MTU %d";
    private static final String MPI = "MPI over TCP message for message";
    private static final String PACKED = "MPI over TCP packed";
    private static final String ROUND = "put_replay_done_1000 8";
    private static final String BESIDE = "am_lat_beside_put_1048576 64";

    /** Latencies are one way, and the goal is for both: half a millisecond. */
    private static final double BESIDE_STREAM_NS = 500_000;

    /** Lengths of datagrams for which a goal holds. */
    enum Mtus {
        ALL,
        SHORT,
        LONG;

        boolean include(int mtu) {
            return this == ALL || (this == SHORT) == (mtu < LONG_MTU);
        }
    }

    /** Returns all goals. */
    static List<LinkGoal> all() {
        final List<LinkGoal> goals = new ArrayList<>();
        for (final String test : new String[] {"am_lat", "put_lat"}) {
            final String what = test.equals("am_lat") ? "64 B round trip, SEND" : "64 B round trip, PUT with COUNT";
            final String row = row(test + " 64", SEGNO, "p50");
            goals.add(atMost(what + ", to bare Aeron", row, row("am_lat 64", AERON, "p50"), 1.25, Mtus.ALL));
            goals.add(
                    atMost(what + ", to bare Aeron, yielding", row, row("am_lat 64", YIELDING, "p50"), 0.7, Mtus.ALL));
        }
        goals.add(rate("1 KiB messages a second, to bare Aeron", "am_mr 1024", "rate", 0.9, Mtus.ALL));
        goals.add(rate("1 MiB PUTs, to bare Aeron", "put_bw 1048576", "bandwidth", 0.9, Mtus.ALL));
        goals.add(rate("64 B SENDs a second, to bare Aeron", "am_mr 64", "rate", 0.9, Mtus.SHORT));
        goals.add(rate("64 B SENDs a second, to bare Aeron", "am_mr 64", "rate", 2, Mtus.LONG));
        final String replayed = row(ROUND, SEGNO, "p50");
        goals.add(atMost("1,000 PUTs replayed, to bare frames", replayed, row(ROUND, AERON, "p50"), 1.3, Mtus.ALL));
        goals.add(atMost("1,000 PUTs replayed, to messages", replayed, row(ROUND, SINGLY, "p50"), 0.3, Mtus.SHORT));
        goals.add(atMost(
                "64 B beside a 1 MiB stream, p99 one way, ns",
                row(BESIDE, SEGNO, "p99"),
                "",
                BESIDE_STREAM_NS,
                Mtus.ALL));
        goals.add(atMost("the same, bare Aeron", row(BESIDE, AERON, "p99"), "", Double.NaN, Mtus.ALL));
        goals.addAll(ofMpi());
        return goals;
    }

    private static List<LinkGoal> ofMpi() {
        final List<LinkGoal> goals = new ArrayList<>();
        goals.add(faster("64 B round trip, MPI over TCP to it", "am_lat 64", "p50", MPI, 2));
        final String[] demos = {"demo_fft 1024", "demo_neighbours_8 64", "demo_neighbours_26 64", "demo_spikes 16"};
        for (final String demo : demos) {
            goals.add(faster(demo + ", MPI over TCP to it", demo, "until done", MPI, 2));
            goals.add(faster(demo + ", packed MPI over TCP to it", demo, "until done", PACKED, Double.NaN));
        }
        goals.add(new LinkGoal(
                "1 MiB PUTs, to MPI over TCP",
                row("put_bw 1048576", SEGNO, "bandwidth"),
                row("put_bw 1048576", MPI, "bandwidth"),
                Double.NaN,
                false,
                Mtus.ALL));
        return goals;
    }

    private static String row(String test, String peer, String metric) {
        return test + ", " + peer + ", " + metric;
    }

    private static LinkGoal atMost(String measure, String row, String beside, double bound, Mtus mtus) {
        return new LinkGoal(measure, row, beside, bound, true, mtus);
    }

    private static LinkGoal rate(String measure, String test, String metric, double bound, Mtus mtus) {
        return new LinkGoal(measure, row(test, SEGNO, metric), row(test, AERON, metric), bound, false, mtus);
    }

    /** Returns the goal that a peer takes a multiple of Segno's time. */
    private static LinkGoal faster(String measure, String test, String metric, String peer, double bound) {
        return new LinkGoal(measure, row(test, peer, metric), row(test, SEGNO, metric), bound, false, Mtus.ALL);
    }

    /** Returns the name of a row with datagrams of a length. */
    static String named(String row, int mtu) {
        return row.contains("%d") ? String.format(Locale.ROOT, row, mtu) : row;
    }

    /** Returns true if a figure or a ratio reaches the goal. */
    boolean isHeldBy(double figure) {
        return Double.isNaN(bound) || (isUpper ? figure <= bound : figure >= bound);
    }
}
