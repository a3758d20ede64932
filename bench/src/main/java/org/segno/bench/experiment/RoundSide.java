package org.segno.bench.experiment;

/**
 * Timing of a {@link TimedRound}. One operation is one round; the figure is the median of groups of {@value #GROUP}
 * rounds, which follow each other without a barrier.
 */
public final class RoundSide implements Side {
    private static final int GROUP = 8;
    private static final int GROUP_LIMIT = 1 << 16;

    private final Role role;
    private final TimedRound round;
    private final TimeHistogram groupTimes = new TimeHistogram();

    /** Creates one end, which closes the exchange at the end. */
    public RoundSide(Role role, TimedRound round) {
        this.role = role;
        this.round = round;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        groupTimes.reset();
        final int groups = Math.max(1, Math.min(operations / GROUP, GROUP_LIMIT));
        // The first one waits for the later end.
        round.run();
        for (int group = 0; group < groups; group++) {
            final long beginNs = System.nanoTime();
            for (int i = 0; i < GROUP; i++) {
                round.run();
            }
            groupTimes.record((System.nanoTime() - beginNs) / (double) GROUP);
        }
        if (role == Role.ORIGIN) {
            figures.set(0, groupTimes.medianNs());
        }
    }

    @Override
    public void close() {
        round.close();
    }
}
