package org.segno.simulator;

import java.util.List;
import java.util.function.LongFunction;

/** Simulations of an engine with or without a canary, seed after seed. */
final class SeededDefect {
    private final LongFunction<List<String>> run;

    private SeededDefect(ChangedClasses classes, Class<?> type) {
        try {
            @SuppressWarnings("unchecked") // its class has the same source
            final LongFunction<List<String>> loaded = (LongFunction<List<String>>)
                    classes.loadClass(type.getName()).getConstructor().newInstance();
            this.run = loaded;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * First finding of the simulations.
     *
     * @param seed seed of the simulation, or zero if none has found anything
     * @param text first defect
     */
    record Finding(long seed, String text) {
        static final Finding NONE = new Finding(0, "nothing");
    }

    static SeededDefect in(Canary canary) {
        return in(canary, CanaryRun.class);
    }

    /** Returns simulations by a class like {@link CanaryRun}. */
    static SeededDefect in(Canary canary, Class<?> type) {
        return new SeededDefect(ChangedClasses.of(canary.className(), canary.changedSource()), type);
    }

    /** Returns simulations of the same class without the defect, compiled and loaded in the same way. */
    static SeededDefect without(Canary canary) {
        return new SeededDefect(ChangedClasses.of(canary.className(), canary.originalSource()), CanaryRun.class);
    }

    /** Runs seeds from 1 on until one finds a defect. An exception of the engine is a defect. */
    Finding find(int seeds) {
        for (long seed = 1; seed <= seeds; seed++) {
            final String found = find(seed);
            if (!found.isEmpty()) {
                return new Finding(seed, found);
            }
        }
        return Finding.NONE;
    }

    private String find(long seed) {
        try {
            final List<String> defects = run.apply(seed);
            return defects.isEmpty() ? "" : defects.get(0);
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    /** Returns a row of the table of the documents. */
    static String row(Canary canary, Finding finding) {
        final String seed = finding.seed() == 0 ? "none" : Long.toString(finding.seed());
        return beginningOfRow(canary) + " " + finding.text().replace('|', '/') + " | " + seed + " |";
    }

    /** Returns the part of a row that does not depend on the finding. */
    static String beginningOfRow(Canary canary) {
        return "| " + canary.defect() + " | `" + canary.type() + "` |";
    }
}
