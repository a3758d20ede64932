package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.status.Status;

/**
 * Floods of a receiver that does not advance: its sender is held back. Once it advances, all messages arrive, in order.
 */
class MessageFloodTest {
    private static final int LONGEST = 2_000;

    /**
     * Largest number of waiting messages: a FIFO of 64 slots, and a lane of 4 KiB with records of at least 32 bytes.
     */
    private static final int MOST_WAITING = 64 + 4096 / 32;

    private static final int PASSES = 500;

    @TempDir
    Path directory;

    @ParameterizedTest(name = "{0} bytes, 0 for all lengths in turn")
    @ValueSource(ints = {4, 100, 900, LONGEST, 0})
    void shouldHoldTheSenderBackAndLoseNothing(int length) {
        try (MessengerPairs all = new MessengerPairs(directory, LONGEST, config -> config)) {
            final TestMessenger from = all.of(0, 0);
            final TestMessenger to = all.of(1, 0);
            final int[] lengths = length == 0 ? new int[] {4, 100, 900, LONGEST} : new int[] {length};
            long sent = 0;
            long early = 0;
            for (int pass = 0; pass < PASSES; pass++) {
                long reply = 0;
                while (reply >= 0 && sent <= MOST_WAITING) {
                    from.numbered(to.context.endpoint(), sent, lengths[(int) sent % lengths.length]);
                    reply = from.messenger.send(from.message, from.noting("local"), from.noting("remote"));
                    sent += reply >= 0 ? 1 : 0;
                }
                assertThat(reply).isEqualTo(Status.BACK_PRESSURED);
                from.context.advance();
                early = pass == PASSES / 10 ? sent : early;
            }
            assertThat(sent).isEqualTo(early).isPositive();
            if (length == LONGEST) {
                assertThat(sent).isEqualTo(RendezvousSends.SLOTS);
            }
            all.settle();
            assertThat(to.called).isEqualTo(LongStream.range(0, sent).boxed().toList());
            assertThat(to.received).hasSize((int) sent);
            assertThat(from.ends).hasSize(2 * (int) sent).containsOnly("local", "remote");
        }
    }

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {4, 100, LONGEST})
    void shouldHoldBackASenderThatDoesNotAdvanceItself(int length) {
        try (MessengerPairs all = new MessengerPairs(directory, LONGEST, config -> config)) {
            final TestMessenger from = all.of(0, 0);
            long sent = 0;
            while (from.messenger.send(from.numbered(from.context.endpoint(), sent, length)) >= 0) {
                sent++;
                assertThat(sent).isLessThanOrEqualTo(MOST_WAITING);
            }
            all.settle();
            assertThat(from.called).isEqualTo(LongStream.range(0, sent).boxed().toList());
            assertThat(from.received).hasSize((int) sent);
        }
    }
}
