package org.segno.tools.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LineCopyTest {
    private final ByteArrayOutputStream target = new ByteArrayOutputStream();

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
        copy("t ", new byte[] {(byte) 0xff, 0, '\n'});

        assertThat(target.toByteArray()).containsExactly('t', ' ', (byte) 0xff, 0, '\n');
    }

    @Test
    void shouldPassEveryByteAsItIsWithoutAPrefix() {
        final String text = "one\n\ntwo" + "x".repeat(LineCopy.LINE_LIMIT) + "\nlast";

        copy("", text.getBytes(StandardCharsets.UTF_8));

        assertThat(target.toString(StandardCharsets.UTF_8)).isEqualTo(text);
    }

    @Test
    void shouldCopyToAllTargetsAndAskForThePrefixOfEachLine() {
        final ByteArrayOutputStream other = new ByteArrayOutputStream();
        final AtomicInteger count = new AtomicInteger();
        final List<SharedStream> both =
                List.of(new SharedStream(target, reason -> {}), new SharedStream(other, reason -> {}));

        new LineCopy(both, () -> count.incrementAndGet() + " ")
                .copy(new ByteArrayInputStream("a\nb\n".getBytes(StandardCharsets.UTF_8)));

        assertThat(target.toString(StandardCharsets.UTF_8)).isEqualTo("1 a\n2 b\n");
        assertThat(other.toByteArray()).isEqualTo(target.toByteArray());
    }

    @Test
    void shouldBreakALineThatIsTooLongToBeKept() {
        final String tagged = tagged("x".repeat(LineCopy.LINE_LIMIT) + "y\n");

        assertThat(tagged).isEqualTo("[1]<out> " + "x".repeat(LineCopy.LINE_LIMIT) + "\n[1]<out> y\n");
    }

    @Test
    void shouldReportAClosedTargetAndReadOnSoThatTheRankIsNotBlocked() {
        final AtomicInteger lostCount = new AtomicInteger();
        final OutputStream closed = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        final ByteArrayInputStream source =
                new ByteArrayInputStream("line\n".repeat(10_000).getBytes(StandardCharsets.UTF_8));

        final SharedStream unread = new SharedStream(closed, reason -> lostCount.incrementAndGet());
        new LineCopy(List.of(unread), () -> "t ").copy(source);

        assertThat(lostCount).hasPositiveValue();
        assertThat(source.available()).isZero();
    }

    private String tagged(String text) {
        copy("[1]<out> ", text.getBytes(StandardCharsets.UTF_8));
        return target.toString(StandardCharsets.UTF_8);
    }

    private void copy(String prefix, byte[] bytes) {
        final SharedStream stream = new SharedStream(target, reason -> {});
        new LineCopy(List.of(stream), () -> prefix).copy(new ByteArrayInputStream(bytes));
    }
}
