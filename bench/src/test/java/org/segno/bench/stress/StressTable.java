package org.segno.bench.stress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Number of samples of each outcome of each test, over all compilations and JVM options, from the summary at the end of
 * jcstress's log.
 */
final class StressTable {
    private static final String RESULTS = "RUN RESULTS:";
    private static final Pattern TEST = Pattern.compile("\\.{2,} \\[[^]]*] (\\S+)");
    private static final Pattern OUTCOME =
            Pattern.compile("\\s+(\\S.*?)\\s{2,}([\\d,]+)\\s+\\S+%\\s+(Acceptable|Interesting|Forbidden)\\s+.*");

    /**
     * One line of the table.
     *
     * @param test its class
     * @param outcome the results of its actors
     * @param samples number of samples with this outcome
     * @param expectation the test's expectation of it
     */
    record Row(String test, String outcome, long samples, String expectation) {}

    private final Map<String, List<Row>> rows = new LinkedHashMap<>();

    private StressTable() {}

    /** Reads the last part of a log. */
    static StressTable of(Path log) throws IOException {
        final StressTable table = new StressTable();
        final List<String> lines = Files.readAllLines(log);
        String test = "";
        for (final String line : lines.subList(Math.max(0, lines.indexOf(RESULTS)), lines.size())) {
            final Matcher heading = TEST.matcher(line);
            final Matcher outcome = OUTCOME.matcher(line);
            if (heading.matches()) {
                test = heading.group(1);
                // The log lists a failed test more than once; its last heading precedes the sums.
                table.rows.put(test, new ArrayList<>());
            } else if (outcome.matches()) {
                final long samples = Long.parseLong(outcome.group(2).replace(",", ""));
                table.rows
                        .computeIfAbsent(test, key -> new ArrayList<>())
                        .add(new Row(test, outcome.group(1), samples, outcome.group(3)));
            }
        }
        table.rows.values().removeIf(List::isEmpty);
        return table;
    }

    /** Returns the tests that have results. */
    Set<String> tests() {
        return rows.keySet();
    }

    /** Returns the forbidden outcomes that have samples. */
    List<Row> forbidden() {
        return rows.values().stream()
                .flatMap(List::stream)
                .filter(row -> row.expectation().equals("Forbidden") && row.samples() != 0)
                .toList();
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        rows.forEach((test, outcomes) -> {
            text.append(test.substring(test.lastIndexOf(".stress.") + ".stress.".length()))
                    .append('\n');
            for (final Row row : outcomes) {
                text.append(String.format("%12s %,15d  %s%n", row.outcome(), row.samples(), row.expectation()));
            }
        });
        return text.toString();
    }
}
