package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dispatch.DispatchTable;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Message;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/** Completions of a sender: their times and results, for each way in which a message travels. */
@OverMemoryAndLinks
class CompletionTest {
    private static final int DISPATCH = TestMessenger.DISPATCH;
    private static final int LONGEST = 4_000;

    @TempDir
    Path directory;

    private MessengerPairs all;
    private TestMessenger from;
    private TestMessenger to;

    @BeforeEach
    void join() {
        all = new MessengerPairs(directory, LONGEST, config -> config);
        from = all.of(0, 0);
        to = all.of(1, 0);
    }

    @AfterEach
    void close() {
        all.close();
    }

    private long send(int length) {
        return from.messenger.send(
                from.numbered(to.context.endpoint(), 1, length), from.noting("local"), from.noting("remote"));
    }

    private void fillLane() {
        while (from.messenger.send(from.numbered(to.context.endpoint(), 0, 900)) >= 0) {
            from.context.advance();
            if (from.context.fifo().fill() > 8) {
                return;
            }
        }
    }

    @Test
    void shouldReleaseThePayloadOfAnImmediateMessageBeforeItIsAtTheTarget() {
        fillLane();
        assertThat(send(24)).isNotNegative();
        assertThat(from.ends).isEmpty();
        from.context.advance();
        assertThat(from.ends).containsExactly("local");
        all.settle();
        assertThat(from.ends).containsExactly("local", "remote");
    }

    @ParameterizedTest
    @ValueSource(ints = {25, LONGEST})
    void shouldReleaseThePayloadOfAnyOtherMessageWhenItIsAtTheTarget(int length) {
        fillLane();
        assertThat(send(length)).isNotNegative();
        for (int pass = 0; pass < 100; pass++) {
            from.context.advance();
        }
        assertThat(from.ends).isEmpty();
        all.settle();
        assertThat(from.ends).containsExactly("local", "remote");
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 25, LONGEST})
    void shouldRunEachCompletionAloneWhenTheOtherIsNotWanted(int length) {
        final Message message = from.numbered(to.context.endpoint(), 1, length);
        from.messenger.send(message, from.noting("local"), null);
        all.settle();
        from.messenger.send(message, null, from.noting("remote"));
        all.settle();
        from.messenger.send(message);
        all.settle();
        assertThat(from.ends).containsExactly("local", "remote");
        assertThat(to.received).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 25, LONGEST})
    void shouldRunBothCompletionsAlsoWhenTheFirstThrows(int length) {
        from.messenger.send(
                from.numbered(to.context.endpoint(), 1, length),
                failure -> {
                    throw new IllegalStateException("mine");
                },
                from.noting("remote"));
        assertThatThrownBy(all::settle).hasMessage("mine");
        all.settle();
        assertThat(from.ends).containsExactly("remote");
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 25, LONGEST})
    void shouldKeepBothExceptionsWhenBothCompletionsThrow(int length) {
        from.messenger.send(
                from.numbered(to.context.endpoint(), 1, length),
                failure -> {
                    throw new IllegalStateException("local");
                },
                failure -> {
                    throw new IllegalStateException("remote");
                });
        final List<String> thrown = new ArrayList<>();
        for (int turn = 0; turn < 2; turn++) {
            try {
                all.settle();
            } catch (final IllegalStateException e) {
                thrown.add(e.getMessage());
                Stream.of(e.getSuppressed()).forEach(other -> thrown.add(other.getMessage()));
            }
        }
        assertThat(thrown).containsExactly("local", "remote");
    }

    @Test
    void shouldLetACompletionSendTheNextMessageWithoutEnd() {
        final List<Long> positions = new ArrayList<>();
        final Message message = from.numbered(to.context.endpoint(), 1, 4);
        final Completion again = new Completion() {
            @Override
            public void onComplete(@Nullable SegnoException failure) {
                positions.add(from.messenger.send(message, this, null));
            }
        };
        from.messenger.send(message, again, null);
        for (int pass = 1; pass <= 10; pass++) {
            from.context.advance();
            assertThat(positions).hasSize(pass);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 100, LONGEST})
    void shouldCountTheBytesOfAnyMessageAtTheCounterThatItCompletes(int length) {
        final InjectionCounter counter = all.job.node(0).client().injectionCounter();
        counter.expect(length + 1L);
        from.messenger.send(from.numbered(to.context.endpoint(), 1, length).completes(counter));
        all.settle();
        assertThat(to.received).hasSize(1);
        assertThat(counter.valueAcquire()).isEqualTo(1);
    }

    @Test
    void shouldSetTheReasonInTheCounterWhenALongMessageWasNotTaken() {
        final InjectionCounter counter = all.job.node(0).client().injectionCounter();
        counter.expect(LONGEST);
        from.message
                .to(to.context.endpoint(), DISPATCH + 1)
                .payload(from.source, 0, LONGEST)
                .completes(counter);
        from.messenger.send(from.message);
        all.settle();
        assertThatThrownBy(() -> from.context.await(counter, InProcessJob.deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank 1")
                .hasMessageContaining("no handler of long messages");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 100, LONGEST})
    void shouldCountAnUnregisteredMessageAndNotifyItsSenderAndLoseNothingBesides(int length) {
        final List<Integer> notices = new ArrayList<>();
        // Without a handler of its own the notice goes into the error log.
        from.context.handler(
                DispatchTable.NO_HANDLER_THERE, (origin, buffer, m, ml, p, pl) -> notices.add(buffer.getInt(p)));
        from.messenger.send(from.numbered(to.context.endpoint(), 1, 50));
        from.numbered(to.context.endpoint(), 2, length).to(to.context.endpoint(), DISPATCH + 1);
        from.messenger.send(from.message, from.noting("local"), from.noting("remote"));
        from.messenger.send(from.numbered(to.context.endpoint(), 3, LONGEST));
        from.messenger.send(from.numbered(to.context.endpoint(), 4, 4));
        all.settle();
        assertThat(to.called).containsExactly(1L, 3L, 4L);
        assertThat(to.received).hasSize(3);
        assertThat(all.job.node(1).metrics().unknownDispatch()).isEqualTo(1);
        assertThat(notices).containsExactly(DISPATCH + 1);
        if (length == LONGEST) {
            final String refused =
                    ": RefusedException: rank 1 did not accept the message: the target has no handler of long"
                            + " messages for the dispatch id";
            assertThat(from.ends).containsExactly("local" + refused, "remote" + refused);
        } else {
            assertThat(from.ends).containsExactly("local", "remote");
        }
    }

    @Test
    void shouldFailEveryLongMessageToARankThatHasLeft() {
        all.job.node(1).close();
        final long deadlineNs = InProcessJob.deadline();
        while (from.context.failure(1) == null && !Deadline.reached(deadlineNs)) {
            from.context.advance();
        }
        for (int attempt = 1; attempt <= 2; attempt++) {
            assertThat(send(LONGEST)).isNotNegative();
            for (int pass = 0; pass < 10; pass++) {
                from.context.advance();
            }
            assertThat(from.ends).hasSize(2 * attempt).allMatch(end -> end.contains("rank 1 has left the job"));
        }
    }

    @Test
    void shouldRefuseAWindowOfAnotherNodeAlsoWhereTheNumberIsThatOfItsOwn() {
        from.messenger.send(from.numbered(to.context.endpoint(), 1, LONGEST));
        all.settle();
        final Window foreign = all.of(1, 0).source;
        assertThat(foreign.id()).isEqualTo(from.source.id());
        for (final int length : new int[] {4, 100, LONGEST}) {
            assertThatThrownBy(() -> from.messenger.send(from.message.payload(foreign, 0, length)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank 1");
        }
        all.settle();
        assertThat(to.received).hasSize(1);
    }

    @Test
    void shouldRereadTheBytesOfARecordedMessageOfAnyLength() {
        from.source.buffer().putLong(0, 7);
        final var pattern = from.context.record(
                1, Rounds.ORDERED_BY_CALLER, () -> from.messenger.send(from.numbered(to.context.endpoint(), 1, 8)));
        all.settle();
        from.source.buffer().putLong(0, 8);
        from.context.replay(pattern);
        all.settle();
        assertThat(to.received.stream().map(TestMessenger.Received::payload))
                .containsExactly("0700000000000000", "0800000000000000");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 100, LONGEST})
    void shouldRefuseToSendInAHandler(int length) {
        final List<Throwable> thrown = new ArrayList<>();
        to.context.replyingHandler(9, (origin, buffer, m, ml, p, pl) -> {
            try {
                to.messenger.send(to.numbered(from.context.endpoint(), 1, length));
            } catch (final IllegalStateException e) {
                thrown.add(e);
            }
            return 0;
        });
        from.messenger.send(from.numbered(to.context.endpoint(), 1, 4).to(to.context.endpoint(), 9));
        all.settle();
        assertThat(thrown).singleElement().asString().contains("after advance has returned");
    }

    @Test
    void shouldReportTheNeedsOfAMessageWithoutAPayload() {
        assertThatThrownBy(() -> from.messenger.send(new Message().to(1, DISPATCH)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("call payload");
    }
}
