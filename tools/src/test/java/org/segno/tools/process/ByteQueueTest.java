package org.segno.tools.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.segno.tools.SegnoProcess;

final class ByteQueueTest {
    private static final int LIMIT = 100;

    private final ByteQueue queue = new ByteQueue(LIMIT);

    @Test
    void shouldPassAllBytesInOrderThroughLittleRoom() throws Exception {
        final RandomGenerator random = new Random(7);
        final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        final CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> {
            final ByteArrayOutputStream all = new ByteArrayOutputStream();
            final byte[] chunk = new byte[13];
            for (int length = queue.read(chunk, 0, 13); length >= 0; length = queue.read(chunk, 0, 13)) {
                all.write(chunk, 0, length);
            }
            return all.toByteArray();
        });
        for (int count = 0; count < 2000; count++) {
            final byte[] block = new byte[random.nextInt(40)];
            random.nextBytes(block);
            sent.writeBytes(block);
            queue.put(block);
        }
        queue.end();

        assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo(sent.toByteArray());
    }

    @Test
    void shouldHoldTheWriterWhileItIsFull() throws Exception {
        queue.put(new byte[LIMIT]);
        final Thread writer = writer();

        SegnoProcess.await(() -> writer.getState() == Thread.State.WAITING, "a waiting writer");
        assertThat(queue.read(new byte[LIMIT], 0, LIMIT)).isEqualTo(LIMIT);

        writer.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(writer.isAlive()).isFalse();
        assertThat(queue.read()).isEqualTo(1);
    }

    @Test
    void shouldDropWhatHasNoRoomOnceItDiscards() throws Exception {
        queue.put(new byte[LIMIT]);
        final Thread writer = writer();
        SegnoProcess.await(() -> writer.getState() == Thread.State.WAITING, "a waiting writer");

        queue.discard();

        writer.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(writer.isAlive()).isFalse();
        queue.awaitEmpty(Long.MAX_VALUE / 1_000_000);
        queue.end();
        assertThat(queue.read(new byte[2 * LIMIT], 0, 2 * LIMIT)).isEqualTo(LIMIT);
        assertThat(queue.read()).isEqualTo(-1);
    }

    @Test
    void shouldWaitForAReaderThatTakesBytesAndForNoOther() throws Exception {
        queue.put(new byte[] {1, 2});
        queue.awaitEmpty(1);

        final CompletableFuture<Void> waited = CompletableFuture.runAsync(() -> {
            try {
                queue.awaitEmpty(TimeUnit.SECONDS.toMillis(30));
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(queue.read()).isEqualTo(1);
        assertThat(queue.read()).isEqualTo(2);
        waited.get(20, TimeUnit.SECONDS);
    }

    private Thread writer() {
        final Thread writer = new Thread(() -> {
            try {
                queue.put(new byte[] {1});
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        writer.setDaemon(true);
        writer.start();
        return writer;
    }
}
