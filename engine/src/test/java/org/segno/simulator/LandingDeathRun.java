package org.segno.simulator;

import java.util.List;
import java.util.function.LongFunction;

/**
 * Runs deaths of members where {@code CrashPoint} is on: each landing of bytes, and each count, is a pass of its own.
 * The seeds 1 to {@link #SEEDS} try all passes of each member.
 */
public final class LandingDeathRun implements LongFunction<List<String>> {
    private static final int STRIDE = 61;

    static final int SEEDS = STRIDE * MemberDeaths.MOST_MEMBERS;

    @Override
    public List<String> apply(long seed) {
        final int number = (int) seed - 1;
        final MemberDeaths deaths = new MemberDeaths(MemberDeaths.SHORT, STRIDE, number % STRIDE, number / STRIDE);
        final List<String> failures = deaths.run((int) seed);
        return deaths.jobs() > 0 ? failures : List.of("no job");
    }
}
