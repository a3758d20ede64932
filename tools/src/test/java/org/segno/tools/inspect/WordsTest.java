package org.segno.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.WindowTable;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.PatternEntry;
import org.segno.tools.inspect.record.Words;
import org.segno.tools.inspect.record.Words.Word;

/** Words of {@code inspect}: they equal the tables in the engine's sources, which the engine's layout tests check. */
class WordsTest {
    @ParameterizedTest
    @MethodSource("records")
    void shouldNameEachWordAsItsTableDoes(Words words, Class<?> flyweight) throws IOException {
        final List<String> lines = Files.readAllLines(
                Path.of("../engine/src/main/java", flyweight.getName().replace('.', '/') + ".java"));
        for (final Word word : words.all()) {
            final String row = "^ \\*\\s+" + word.offset() + "\\s+" + word.length() + "\\s+" + word.name() + "(\\s.*)?";
            // A descriptor's words are all written by the application, so that its tables have no such column. They
            // are split by operation, so that a word has several rows.
            final boolean descriptor = flyweight.getPackage().equals(Descriptor.class.getPackage());
            final String rest = descriptor ? ".*" : ".*\\s{2,}" + word.writer() + ".*";
            assertThat(lines.stream().filter(line -> line.matches(row)))
                    .as(flyweight.getSimpleName() + " " + word)
                    .hasSizeBetween(1, descriptor ? 2 : 1)
                    .allMatch(line -> line.matches(rest));
        }
    }

    static Stream<Arguments> records() {
        return Stream.of(
                Arguments.of(Words.NODE_HEADER, NodeHeader.class),
                Arguments.of(Words.FIFO, FifoMetadata.class),
                Arguments.of(Words.DESCRIPTOR, Descriptor.class),
                Arguments.of(Words.MULTICAST, Operation.class),
                Arguments.of(Words.RUN, RunRing.class),
                Arguments.of(Words.PATTERN_STATE, PatternBuffer.class),
                Arguments.of(Words.PATTERN_ENTRY, PatternEntry.class),
                Arguments.of(Words.COUNTER_SETTINGS, CounterSettings.class),
                Arguments.of(Words.RECEPTION_VALUE, ReceptionCounter.class),
                Arguments.of(Words.INJECTION_VALUE, InjectionCounter.class),
                Arguments.of(Words.WINDOW, WindowTable.class),
                Arguments.of(Words.NAME, NameDirectory.class));
    }
}
