package org.segno.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConcurrentSendersTest {
    @Test
    void shouldSendEqualSharesAndReturnWhenAllHaveBeenSent() {
        final List<CountingStream> streams =
                IntStream.range(0, 4).mapToObj(i -> new CountingStream()).toList();
        final ConcurrentSenders senders = new ConcurrentSenders(streams);

        for (int round = 1; round <= 100; round++) {
            senders.send(10);
            assertThat(streams.stream().mapToInt(stream -> stream.sent.get()))
                    .containsExactly(3 * round, 3 * round, 2 * round, 2 * round);
        }
        senders.close();
        assertThat(streams).allMatch(stream -> stream.closed);
    }

    private static final class CountingStream implements Stream {
        private final AtomicInteger sent = new AtomicInteger();
        private boolean closed;

        @Override
        public void send(int messages) {
            sent.addAndGet(messages);
        }

        @Override
        public void receive(int messages) {}

        @Override
        public void close() {
            closed = true;
        }
    }
}
