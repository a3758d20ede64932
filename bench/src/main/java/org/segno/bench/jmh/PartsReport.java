package org.segno.bench.jmh;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Costs as text: lines of a table, or JSON. */
public final class PartsReport {
    private PartsReport() {}

    /** Returns the heading of the table, one line. */
    public static String heading() {
        return String.format("%-42s %10s %10s %10s %10s%n", "benchmark, ns/op", "best", "median", "worst", "B/op");
    }

    /** Returns one line of the table. */
    public static String line(PartCost cost) {
        return String.format(
                Locale.ROOT,
                "%-42s %10.2f %10.2f %10.2f %10.4f%s%n",
                cost.benchmark(),
                cost.bestNs(),
                cost.medianNs(),
                cost.worstNs(),
                cost.bytes(),
                remark(cost));
    }

    private static String remark(PartCost cost) {
        if (cost.mayAllocate()) {
            return "  by design";
        }
        return cost.isFit() ? "" : "  ALLOCATES";
    }

    /** Returns an array of objects, one for each benchmark, with a line end after the last bracket. */
    public static String json(List<PartCost> costs) {
        return costs.stream().map(PartsReport::object).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    /** Returns one object. Names of classes and methods need no escapes. */
    private static String object(PartCost cost) {
        return String.format(
                Locale.ROOT,
                "{\"benchmark\": \"%s\", \"unit\": \"ns/op\", \"best\": %.4g, \"median\": %.4g, \"worst\": %.4g, "
                        + "\"bytesPerOp\": %.4g, \"mayAllocate\": %b}",
                cost.benchmark(),
                cost.bestNs(),
                cost.medianNs(),
                cost.worstNs(),
                cost.bytes(),
                cost.mayAllocate());
    }
}
