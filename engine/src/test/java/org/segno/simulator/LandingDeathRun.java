package org.segno.simulator;

import java.util.List;
import java.util.function.LongFunction;

/**
 * Runs deaths of members where {@code CrashPoint} is on: each landing of bytes, and each count, is a pass of its own.
 * The seeds 1 to {@link #SEEDS} try all passes.
 */
public final class LandingDeathRun implements LongFunction<List<String>> {
    static final int SEEDS = 61;

    @Override
    public List<String> apply(long seed) {
        final MemberDeaths deaths = new MemberDeaths(MemberDeaths.SHORT, SEEDS, (int) seed - 1);
        final List<String> failures = deaths.run((int) seed);
        return deaths.jobs() > 0 ? failures : List.of("no job");
    }
}
