package org.segno.tools.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.status.Refusal;

/**
 * One monotonic count of a node.
 *
 * @param name name in machine-readable output: {@code unknownDispatch}
 * @param meaning description in words
 * @param value function that reads the count
 */
record Count(String name, String meaning, ToLongFunction<NodeMetrics> value) {
    private static final Pattern LATER_WORD = Pattern.compile("_([a-z])");

    /** Returns every count of the engine, then the sum of all refusals, then the count of each kind of refusal. */
    static List<Count> all() {
        final List<Count> counts = new ArrayList<>();
        for (final Metric metric : Metric.values()) {
            counts.add(new Count(camel(metric.name()), metric.meaning(), metrics -> metrics.get(metric)));
        }
        counts.add(new Count("refused", "descriptors and landings refused", Count::refused));
        for (final Refusal refusal : Refusal.values()) {
            counts.add(
                    new Count(camel("REFUSED_" + refusal.name()), refusal.reason(), metrics -> metrics.get(refusal)));
        }
        return counts;
    }

    private static long refused(NodeMetrics metrics) {
        long sum = 0;
        for (final Refusal refusal : Refusal.values()) {
            sum += metrics.get(refusal);
        }
        return sum;
    }

    private static String camel(String constant) {
        final Matcher words = LATER_WORD.matcher(constant.toLowerCase(Locale.ROOT));
        return words.replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
    }

    long of(NodeMemory node) {
        return value.applyAsLong(new NodeMetrics(node));
    }
}
