package org.segno.tools.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class TaggedOutputTest {
    private final ByteArrayOutputStream target = new ByteArrayOutputStream();
    private final TaggedOutput output = new TaggedOutput(target, reason -> {});

    @Test
    void shouldPutTheTagInFrontOfEachLineEmptyOnesToo() {
        assertThat(tagged("one\n\ntwo\n")).isEqualTo("[1]<out> one\n[1]<out> \n[1]<out> two\n");
    }

    @Test
    void shouldEndALastLineThatHasNoEnd() {
        assertThat(tagged("one\ntwo")).isEqualTo("[1]<out> one\n[1]<out> two\n");
    }

    @Test
    void shouldPassBytesThatAreNoText() {
        output.copy(new ByteArrayInputStream(new byte[] {(byte) 0xff, 0, '\n'}), "t");

        assertThat(target.toByteArray()).containsExactly('t', ' ', (byte) 0xff, 0, '\n');
    }

    @Test
    void shouldBreakALineThatIsTooLongToBeKept() {
        final String tagged = tagged("x".repeat(TaggedOutput.LINE_LIMIT) + "y\n");

        assertThat(tagged).isEqualTo("[1]<out> " + "x".repeat(TaggedOutput.LINE_LIMIT) + "\n[1]<out> y\n");
    }

    @Test
    void shouldSayThatNobodyReadsAndReadOnSoThatTheRankIsNotHeldUp() {
        final AtomicInteger lostCount = new AtomicInteger();
        final OutputStream closed = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        final ByteArrayInputStream source =
                new ByteArrayInputStream("line\n".repeat(10_000).getBytes(StandardCharsets.UTF_8));

        new TaggedOutput(closed, reason -> lostCount.incrementAndGet()).copy(source, "t");

        assertThat(lostCount).hasPositiveValue();
        assertThat(source.available()).isZero();
    }

    private String tagged(String text) {
        output.copy(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "[1]<out>");
        return target.toString(StandardCharsets.UTF_8);
    }
}
