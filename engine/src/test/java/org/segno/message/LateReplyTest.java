package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Window;
import org.segno.operation.Message;

/** The result of a long message arrives after the message has failed: its receiver is closing the client. */
class LateReplyTest {
    private static final int ID = 3;
    private static final int LENGTH = 20_000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCompleteTheNextMessageAlthoughTheResultOfAFailedOneIsLate(boolean isSentByTheCompletion) {
        try (EngineFixture engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(3)
                        .fifos(5)
                        .fifoSlots(64)
                        .counters(64)
                        .windowBytes(1 << 18)
                        .dimensions())) {
            final List<Messenger> messengers = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++) {
                messengers.add(Messenger.open(engines.client(rank), engines.context(rank)));
            }
            final Window source = engines.client(0).window(LENGTH);
            // Rank 1 declines, rank 2 takes the message.
            messengers.get(1).handler(ID, received -> 0);
            final Window landing = engines.client(2).window(LENGTH);
            messengers.get(2).handler(ID, received -> received.into(landing, 0, failure -> {}));
            engines.settle();
            final List<String> ends = new ArrayList<>();
            // The engine of rank 1 is busy with what precedes the reply in the messenger's FIFO.
            final List<FifoMetadata> busy = deactivated(engines.memory(1));
            engines.settle();
            assertThat(busy).isNotEmpty();
            final Runnable next = () -> send(messengers.get(0), 2, source, ends, () -> {});
            send(messengers.get(0), 1, source, ends, isSentByTheCompletion ? next : () -> {});
            for (int i = 0; i < 50; i++) {
                engines.context(0).advance();
                engines.context(1).advance();
            }
            assertThat(ends).isEmpty();
            // The client of rank 1 is closed: the first step of Client.close.
            new ContextStates(engines.memory(1)).close(0, 0);
            for (int i = 0; i < 50; i++) {
                engines.context(0).advance();
            }
            assertThat(ends).containsExactly("1: false");
            if (!isSentByTheCompletion) {
                next.run();
            }
            engines.pass(0);
            for (int i = 0; i < 50; i++) {
                engines.context(2).advance();
            }
            // Rank 2 has put its result. Now the engine of rank 1 comes to what was injected before the close.
            busy.forEach(FifoMetadata::activate);
            for (int i = 0; i < 50; i++) {
                engines.pass(1);
            }
            for (int i = 0; i < 2_000; i++) {
                engines.context(0).advance();
                engines.context(2).advance();
            }
            engines.requireNothingThrown();
            assertThat(ends).containsExactly("1: false", "2: true");
        }
    }

    private static List<FifoMetadata> deactivated(NodeMemory node) {
        final List<FifoMetadata> all = new ArrayList<>();
        for (int fifo = 1; fifo < 4; fifo++) {
            final FifoMetadata metadata = new FifoMetadata(node, 0, fifo);
            if (metadata.isRequested()) {
                metadata.deactivate();
                all.add(metadata);
            }
        }
        return all;
    }

    private static void send(Messenger messenger, int rank, Window source, List<String> ends, Runnable then) {
        final Message message = new Message().to(rank, ID).payload(source, 0, LENGTH);
        messenger.send(message, null, failure -> {
            ends.add(rank + ": " + (failure == null));
            then.run();
        });
    }
}
