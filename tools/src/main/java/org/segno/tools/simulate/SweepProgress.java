package org.segno.tools.simulate;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.segno.tools.command.Console;
import org.segno.tools.command.Terminal;

/** Messages about the progress of many seeds, on a terminal only. */
final class SweepProgress {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);

    private final SeedRange seeds;
    private final Console console;
    private final boolean isShown = Terminal.standardErrorIsTerminal();
    private long done;
    private long nextNs = System.nanoTime() + INTERVAL_NS;

    SweepProgress(SeedRange seeds, Console console) {
        this.seeds = seeds;
        this.console = console;
    }

    /** Counts a seed. */
    void simulated() {
        done++;
        if (isShown && System.nanoTime() - nextNs >= 0) {
            nextNs += INTERVAL_NS;
            console.message(String.format(Locale.ROOT, "%,d of %,d seeds simulated", done, seeds.count()));
        }
    }
}
