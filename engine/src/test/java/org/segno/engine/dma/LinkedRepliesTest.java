package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;

/** Sends of handlers over links: a class of their own, which reaches its target whatever the requests wait for. */
class LinkedRepliesTest {
    private static final int REQUEST = 5;

    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private EngineFixture engines;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory,
                NodeSize.small().fifos(2).fifoSlots(256).windowBytes(16 * 1024).dimensions(),
                EngineFixture.SMALL_LINK);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldCarryOutEveryOperationThatAHandlerInjects() {
        final Context owner = engines.context(1);
        final Window source = engines.client(1).window(64);
        final Window range = engines.client(0).window(64);
        final ReceptionCounter export =
                engines.client(0).receptionCounter(range, 0, 64, 1, Right.PUT, Right.GET, Right.ATOMIC);
        final Target to = new Target(0, export.id(), export.incarnation(), 64, false);
        final InjectionCounter done = engines.client(1).injectionCounter();
        export.expect(8 + 5);
        done.expect(16);
        range.buffer().putLong(32, 77);
        owner.replyingHandler(REQUEST, (from, buffer, metadata, metadataLength, payload, length) -> {
            source.buffer().putLong(0, buffer.getLong(payload));
            owner.put(to, 8, source, 0, 8, done);
            owner.count(to, -5);
            return owner.get(to, 32, source, 16, 8, done);
        });

        bytes.putLong(0, 1234);
        engines.context(0).sendImmediate(1, REQUEST, bytes, 0, 8);
        engines.settle();

        assertThat(range.buffer().getLong(8)).isEqualTo(1234);
        assertThat(source.buffer().getLong(16)).isEqualTo(77);
        assertThat(export.valueAcquire()).isZero();
        assertThat(done.valueAcquire()).isZero();
    }
}
