package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.pattern.Recorder;

/** Sizes of methods in bytes of bytecode, on which the compiler's decisions to inline depend. */
class InliningTest {
    /** HotSpot inlines no larger method, however often it is called ({@code FreqInlineSize}). */
    private static final int LIMIT = 325;

    private static final Pattern METHOD = Pattern.compile(" {2}(?:\\w.* )?([\\w$]+)\\(.*\\).*;");
    private static final Pattern INSTRUCTION = Pattern.compile(" +(\\d+): \\w+.*");

    private static Map<String, Integer> sizes(Class<?> type) throws Exception {
        final StringWriter listing = new StringWriter();
        final StringWriter errors = new StringWriter();
        final Path classes =
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        final int exit = ToolProvider.findFirst("javap")
                .orElseThrow()
                .run(
                        new PrintWriter(listing),
                        new PrintWriter(errors),
                        "-c",
                        "-p",
                        "-cp",
                        classes.toString(),
                        type.getName());
        assertThat(exit).as(errors.toString()).isZero();
        final Map<String, Integer> sizes = new HashMap<>();
        String method = "";
        for (final String line : listing.toString().lines().toList()) {
            final Matcher begin = METHOD.matcher(line);
            final Matcher instruction = INSTRUCTION.matcher(line);
            if (begin.matches()) {
                method = begin.group(1);
            } else if (instruction.matches()) {
                // The last one is a return or a throw, of one byte, in every method of this size.
                sizes.merge(method, Integer.parseInt(instruction.group(1)) + 1, Math::max);
            }
        }
        return sizes;
    }

    /** Otherwise the accesses to memory in its innermost loops would be calls wherever too much is inlined above it. */
    @Test
    void shouldNotInlineTheExecutionOfDescriptors() throws Exception {
        assertThat(sizes(DescriptorUnit.class).get("execute")).isGreaterThan(LIMIT);
    }

    /** Otherwise the rules of recordings would be compiled into every method that injects. */
    @Test
    void shouldNotInlineTheRecordingOfDescriptors() throws Exception {
        assertThat(sizes(Recorder.class).get("publish")).isGreaterThan(LIMIT);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                PutRun.class,
                PutUnit.class,
                SendRun.class,
                SendUnit.class,
                EqualSends.class,
                GetUnit.class,
                RmwUnit.class,
                InjectionUnit.class,
                Visit.class,
                InjectionFifoConsumer.class
            })
    void shouldInlineEveryMethodOfTheHotPath(Class<?> type) throws Exception {
        final Map<String, Integer> sizes = sizes(type);
        assertThat(sizes).hasSizeGreaterThan(2);
        sizes.remove(type.getSimpleName());
        assertThat(sizes.values()).allMatch(size -> size <= LIMIT);
    }
}
