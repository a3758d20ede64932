package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Origin endpoints that handlers receive: that of the context that sent the message. */
class OriginTest {
    private static final int ID = 5;

    @TempDir
    private Path parent = Path.of("");

    private final UnsafeBuffer word = new UnsafeBuffer(new byte[Long.BYTES]);
    private final List<Long> origins = new ArrayList<>();

    private static NodeConfig config(Threading threading) {
        return NodeConfig.defaults().withThreading(threading).withContexts(4).withWindowBytes(1 << 14);
    }

    private void await(Context receiver, int messages) {
        receiver.await(() -> origins.size() >= messages, InProcessJob.deadline());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldBeTheContextThatSentAnyKindOfMessage(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading))) {
            final Context receiver = job.context(1);
            receiver.handler(ID, (origin, buffer, m, ml, p, pl) -> origins.add(origin));
            receiver.notified(ID + 1, (origin, counter, offset, length) -> origins.add(origin));
            final Window window = job.node(0).client().window(64);
            final Window far = job.node(1).client().window(64);
            final ReceptionCounter inbox = job.node(1).client().receptionCounter(far, 0, 64);
            job.node(1).client().publish("inbox", inbox);
            final List<Long> expected = new ArrayList<>();
            for (int number = 0; number < 4; number++) {
                final Context sender = job.node(0).client().context(number);
                final Target to = sender.attach(1, "inbox", InProcessJob.deadline());
                final Message message = new Message()
                        .to(receiver.endpoint(), ID)
                        .metadata(window, 0, 8)
                        .payload(window, 8, 8);
                assertThat(sender.sendImmediate(receiver.endpoint(), ID, word, 0, Long.BYTES))
                        .isNotNegative();
                assertThat(sender.send(message)).isNotNegative();
                assertThat(sender.multicast(message, new long[] {receiver.endpoint()}, 0, 1))
                        .isNotNegative();
                assertThat(sender.putNotifying(to, 0, window, 0, 8, new Notification().at(0, ID + 1)))
                        .isNotNegative();
                final Pattern pattern = sender.record(ID, Rounds.ORDERED_BY_CALLER, () -> sender.send(message));
                sender.await(pattern, 1, InProcessJob.deadline());
                sender.fence(InProcessJob.deadline());
                for (int i = 0; i < 5; i++) {
                    expected.add(sender.endpoint());
                }
                await(receiver, expected.size());
            }

            assertThat(origins).isEqualTo(expected);
        }
    }

    @Test
    void shouldNameTheClientOfTheSenderWhicheverClientReceives() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final List<Context> senders = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
                final Client other = job.node(rank).openClient(ClientConfig.named(rank == 0 ? "alone" : "others"));
                final Client named =
                        job.node(rank).openClient(ClientConfig.named("named").withContexts(2));
                if (rank == 0) {
                    senders.add(other.context(0));
                    senders.add(named.context(0));
                    senders.add(named.context(1));
                    senders.add(job.context(0));
                }
            }
            final Context receiver = job.context(1);
            receiver.handler(ID, (origin, buffer, m, ml, p, pl) -> origins.add(origin));
            for (final Context sender : senders) {
                assertThat(sender.sendImmediate(receiver.endpoint(), ID, word, 0, Long.BYTES))
                        .isNotNegative();
                sender.fence(InProcessJob.deadline());
                receiver.advance();
            }

            assertThat(origins)
                    .containsExactlyElementsOf(
                            senders.stream().map(Context::endpoint).toList());
        }
    }

    @Test
    void shouldBeTheTargetOfAReply() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final Context sender = job.node(0).client().context(3);
            final Context receiver = job.node(1).client().context(2);
            receiver.replyingHandler(
                    ID, (origin, buffer, m, ml, p, pl) -> receiver.sendImmediate(origin, ID, buffer, p, pl));
            sender.handler(ID, (origin, buffer, m, ml, p, pl) -> origins.add(origin));

            assertThat(sender.sendImmediate(receiver.endpoint(), ID, word, 0, Long.BYTES))
                    .isNotNegative();
            for (int i = 0; i < 3; i++) {
                sender.advance();
                receiver.advance();
            }

            assertThat(origins).containsExactly(receiver.endpoint());
        }
    }
}
