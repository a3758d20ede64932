package org.segno.tools.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SharedStreamTest {
    private static final String ERASE = "\r\u001b[K";

    private final ByteArrayOutputStream target = new ByteArrayOutputStream();
    private final SharedStream stream = new SharedStream(target, reason -> {});

    @Test
    void shouldEndTheLineOfASourceThatHasEndedWithinIt() {
        copy().copy(source("one\ndies within"));
        copy().copy(source("two\n"));

        assertThat(text()).isEqualTo("one\ndies within\ntwo\n");
    }

    @Test
    void shouldAddNothingIfNobodyWritesAfterALineWithoutAnEnd() {
        copy().copy(source("last"));

        assertThat(text()).isEqualTo("last");
    }

    @Test
    void shouldKeepALineWholeThatComesInPieces() throws Exception {
        final Thread thread;
        try (PipedOutputStream slow = new PipedOutputStream()) {
            thread = copy().start(new PipedInputStream(slow), "slow");
            slow.write(bytes("first "));
            slow.flush();
            copy().copy(source("between\n"));
            slow.write(bytes("second\n"));
        }
        thread.join();

        assertThat(text()).isEqualTo("between\nfirst second\n");
    }

    @Test
    void shouldKeepALineWholeThatIsLongerThanItsBuffer() throws Exception {
        final String half = "x".repeat(LineCopy.LINE_LIMIT);
        final Thread thread;
        final Thread other;
        try (PipedOutputStream slow = new PipedOutputStream()) {
            thread = copy().start(new PipedInputStream(slow), "slow");
            slow.write(bytes(half + "x"));
            slow.flush();
            awaitLength(LineCopy.LINE_LIMIT);
            other = copy().start(source("between\n"), "other");
            slow.write(bytes(half + "\n"));
        }
        thread.join();
        other.join();

        assertThat(text().equals(half + "x" + half + "\nbetween\n"))
                .as("the long line is whole")
                .isTrue();
    }

    @Test
    void shouldShareTheLastLineWithAStreamToTheSameTarget() {
        final SharedStream sibling = stream.sibling(target);

        copy().copy(source("out without an end"));
        new LineCopy(List.of(sibling), () -> "").copy(source("err\n"));

        assertThat(text()).isEqualTo("out without an end\nerr\n");
    }

    @Test
    void shouldShowTheBeginningOfALineOnATerminalBelowTheLinesOfOthers() {
        final SharedStream terminal = SharedStream.toTerminal(target, reason -> {});
        final Object asking = new Object();
        final Object other = new Object();

        terminal.show(asking, bytes("name? "));
        terminal.write(other, bytes("line\n"));
        terminal.show(other, bytes("also"));
        terminal.write(asking, bytes("name? done\n"));

        assertThat(text()).isEqualTo("name? " + ERASE + "line\nname? " + ERASE + "name? done\n");
    }

    @Test
    void shouldShowTheLastPartOfAProgressLineOnATerminal() {
        final SharedStream terminal = SharedStream.toTerminal(target, reason -> {});

        new LineCopy(List.of(terminal), () -> "").copy(source("\r10 %\r20 %"));

        assertThat(text()).isEqualTo("20 %" + ERASE + "\r10 %\r20 %");
    }

    private LineCopy copy() {
        return new LineCopy(List.of(stream), () -> "");
    }

    private static ByteArrayInputStream source(String text) {
        return new ByteArrayInputStream(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void awaitLength(int length) {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (target.size() < length) {
            assertThat(System.nanoTime() - deadlineNs)
                    .as("until %d bytes", length)
                    .isNegative();
            Thread.onSpinWait();
        }
    }

    private String text() {
        return target.toString(StandardCharsets.UTF_8);
    }
}
