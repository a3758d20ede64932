package org.segno.pattern;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Abstract model of a pattern with alternating rounds on a few ranks, and a search of all its interleavings.
 *
 * <p>Each rank has an application, which starts round g + 1 and then reads the result of round g, and an engine, which
 * carries out at most two started rounds. Every step of a section is atomic; a put is two steps, its bytes and then its
 * count. A slot holds the number of the round whose data are in it, so that a read of another round's data is seen.
 */
final class RoundsModel {
    /** Kinds of steps of a section. */
    enum Kind {
        /** Adds {@code amount} to counter {@code index} of the rank. */
        ARM,
        /** Writes the round to slot {@code index} of {@code peer}. */
        WRITE,
        /** Counts counter {@code index} of {@code peer} down by 1. */
        COUNT,
        /** Continues when counter {@code index} of the rank is at or below {@code amount}. */
        WAIT,
        /** Reads slot {@code index} of the rank into the result of the round. */
        READ
    }

    /**
     * One step of a section.
     *
     * @param kind what it does
     * @param peer rank that it writes to
     * @param index slot or counter
     * @param amount that it adds or waits for
     */
    record Step(Kind kind, int peer, int index, int amount) {}

    /** Rules that can be left out, to show that the search notices. */
    enum Rule {
        /** The engine begins a round only when its predecessor is executed. */
        PREDECESSOR_EXECUTED,
        /** Received slots are read by the steps of the section, not by the application. */
        SECTION_READS
    }

    private static final int COUNTERS = 2;

    private final List<List<Step>> sections;
    private final int rounds;
    private final Set<Rule> rules;
    private final int slots;
    private final int stride;
    private final int started;
    private final int read;
    private final int positions;
    private final int counters;
    private final int slotWords;
    private final int results;
    private long states;

    RoundsModel(List<List<Step>> sections, int rounds, Set<Rule> rules) {
        this.sections = sections;
        this.rounds = rounds;
        this.rules = rules;
        this.slots = sections.size();
        // State of a rank: rounds started and read, positions of the two rounds in progress, then by parity.
        this.started = 0;
        this.read = 1;
        this.positions = 2;
        this.counters = positions + 3;
        this.slotWords = counters + 2 * COUNTERS;
        this.results = slotWords + 2 * slots;
        this.stride = results + 2;
    }

    /** Returns the number of states that the last search visited. */
    long states() {
        return states;
    }

    /** Searches all interleavings. Returns a forbidden outcome, or null if there is none. */
    @Nullable
    String search() {
        final Set<Key> seen = new HashSet<>();
        final Deque<byte[]> open = new ArrayDeque<>();
        final byte[] initial = new byte[sections.size() * stride];
        seen.add(new Key(initial));
        open.push(initial);
        final List<byte[]> next = new ArrayList<>();
        while (!open.isEmpty()) {
            final byte[] state = open.pop();
            next.clear();
            for (int rank = 0; rank < sections.size(); rank++) {
                final String wrong = step(state, rank, next);
                if (wrong != null) {
                    return wrong;
                }
            }
            if (next.isEmpty() && !isFinal(state)) {
                return "no step is possible: " + Arrays.toString(state);
            }
            for (final byte[] following : next) {
                if (seen.add(new Key(following))) {
                    open.push(following);
                }
            }
        }
        states = seen.size();
        return null;
    }

    private boolean isFinal(byte[] state) {
        for (int rank = 0; rank < sections.size(); rank++) {
            if (state[rank * stride + read] != rounds) {
                return false;
            }
        }
        return true;
    }

    /** Adds all states that a step of a rank leads to. Returns a forbidden outcome, or null. */
    private @Nullable String step(byte[] state, int rank, List<byte[]> next) {
        final int at = rank * stride;
        final int executed = state[at + positions];
        final int begun = state[at + started];
        final int done = state[at + read];
        // The application starts a round while at most one is in progress and reads one before it starts the next.
        if (begun < rounds && begun - executed < 2 && done >= begun - 1) {
            final byte[] following = state.clone();
            following[at + started]++;
            next.add(following);
        }
        if (done < executed && (begun == done + 2 || begun == rounds)) {
            final int round = done + 1;
            if (!rules.contains(Rule.SECTION_READS)) {
                for (final Step step : sections.get(rank)) {
                    if (step.kind() == Kind.READ && state[slot(rank, round, step.index())] != round) {
                        return stale(rank, round, step.index(), state[slot(rank, round, step.index())]);
                    }
                }
            } else if (hasReads(rank) && state[at + results + (round & 1)] != round) {
                return "rank " + rank + " has no result of round " + round + ", but of "
                        + state[at + results + (round & 1)];
            }
            final byte[] following = state.clone();
            following[at + read]++;
            next.add(following);
        }
        for (int which = 0; which < 2; which++) {
            final String wrong = runs(state, rank, which) ? carryOut(state, rank, which, next) : null;
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    private boolean hasReads(int rank) {
        return sections.get(rank).stream().anyMatch(step -> step.kind() == Kind.READ);
    }

    /** Returns true if the engine may carry out a step of the older round in progress, 0, or of the newer, 1. */
    private boolean runs(byte[] state, int rank, int which) {
        final int at = rank * stride;
        if (state[at + started] <= state[at + positions] + which) {
            return false;
        }
        if (which == 0) {
            return true;
        }
        if (rules.contains(Rule.PREDECESSOR_EXECUTED)) {
            return false;
        }
        // Without the rule the newer round begins as soon as the older one is set aside at a WAIT.
        final int older = state[at + positions + 1];
        return state[at + positions + 2] > 0
                || (older < sections.get(rank).size()
                        && sections.get(rank).get(older).kind() == Kind.WAIT
                        && !holds(
                                state,
                                rank,
                                state[at + positions] + 1,
                                sections.get(rank).get(older)));
    }

    private boolean holds(byte[] state, int rank, int round, Step step) {
        return state[counter(rank, round, step.index())] <= step.amount();
    }

    private @Nullable String carryOut(byte[] state, int rank, int which, List<byte[]> next) {
        final int at = rank * stride;
        final int round = state[at + positions] + 1 + which;
        final int position = state[at + positions + 1 + which];
        final List<Step> section = sections.get(rank);
        final byte[] following = state.clone();
        if (position == section.size()) {
            if (which == 0) {
                following[at + positions]++;
                following[at + positions + 1] = following[at + positions + 2];
                following[at + positions + 2] = 0;
                next.add(following);
            }
            return null;
        }
        final Step step = section.get(position);
        following[at + positions + 1 + which]++;
        switch (step.kind()) {
            case ARM -> following[counter(rank, round, step.index())] += (byte) step.amount();
            case WRITE -> following[slot(step.peer(), round, step.index())] = (byte) round;
            case COUNT -> following[counter(step.peer(), round, step.index())]--;
            case WAIT -> {
                if (!holds(state, rank, round, step)) {
                    return null;
                }
            }
            case READ -> {
                final int found = state[slot(rank, round, step.index())];
                if (rules.contains(Rule.SECTION_READS) && found != round) {
                    return stale(rank, round, step.index(), found);
                }
                following[at + results + (round & 1)] = (byte) round;
            }
        }
        next.add(following);
        return null;
    }

    private static String stale(int rank, int round, int slot, int found) {
        return "rank " + rank + " reads slot " + slot + " in round " + round + " and finds data of round " + found;
    }

    private int counter(int rank, int round, int index) {
        return rank * stride + counters + (round & 1) * COUNTERS + index;
    }

    private int slot(int rank, int round, int index) {
        return rank * stride + slotWords + (round & 1) * slots + index;
    }

    /** State that is compared by value. */
    private static final class Key {
        private final byte[] state;

        Key(byte[] state) {
            this.state = state;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Arrays.equals(state, key.state);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(state);
        }
    }
}
