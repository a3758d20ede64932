package org.segno.demo.cg;

import java.io.PrintStream;
import java.util.Locale;
import org.segno.demo.solver.SolveProgress;

/** Progress line on a terminal, rewritten about ten times a second. */
final class ProgressLine implements SolveProgress {
    private static final long INTERVAL_NS = 100_000_000;
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream terminal;
    private long writtenNs;
    private boolean visible;

    ProgressLine(PrintStream terminal, long nowNs) {
        this.terminal = terminal;
        this.writtenNs = nowNs;
    }

    @Override
    public void iterated(int iteration, double relativeResidual, long nowNs) {
        if (nowNs - writtenNs >= INTERVAL_NS) {
            writtenNs = nowNs;
            visible = true;
            terminal.printf(
                    Locale.ROOT, "%siteration %,d · relative residual %.1e", ERASE, iteration, relativeResidual);
            terminal.flush();
        }
    }

    /** Erases the line from the terminal. */
    void erase() {
        if (visible) {
            terminal.print(ERASE);
            terminal.flush();
        }
    }
}
