package org.segno.tools.inspect;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.segno.tools.inspect.record.Broken;

/** Topics of {@code segno inspect}. */
enum Topic {
    NODE,
    FIFO,
    DESCRIPTOR,
    COUNTER,
    REGION,
    PATTERN,
    LINKS,
    ERRORS;

    View view(Selection selection, Broken broken) {
        return switch (this) {
            case NODE -> new NodeView(selection, broken);
            case FIFO -> new FifoView(selection, broken);
            case DESCRIPTOR -> new DescriptorView(selection, broken);
            case COUNTER -> new CounterView(selection, broken);
            case REGION -> new RegionView(selection, broken);
            case PATTERN -> new PatternView(selection, broken);
            case LINKS -> new LinkView(selection, broken);
            case ERRORS -> new ErrorView(selection, broken);
        };
    }

    static Optional<Topic> of(String word) {
        return Stream.of(values())
                .filter(topic -> topic.word().equals(word.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    /** Returns the topic as it is typed. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
