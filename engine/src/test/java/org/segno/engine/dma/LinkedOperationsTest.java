package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.engine.memory.NodeSize;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;

/** Forms of PUT and SEND that are more than one range: metadata from memory, notices, several targets. */
class LinkedOperationsTest {
    private static final int DISPATCH_ID = 5;
    private static final int WINDOW = 8192;
    private static final int METADATA = 128;

    @TempDir
    Path directory;

    private final List<String> received = new ArrayList<>();
    private EngineFixture engines;
    private Context origin;
    private Window own;
    private InjectionCounter done;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory,
                NodeSize.small()
                        .ranks(3)
                        .fifos(3)
                        .fifoSlots(64)
                        .windowBytes(4L * WINDOW)
                        .dimensions(),
                EngineFixture.SMALL_LINK);
        origin = engines.context(0);
        own = engines.client(0).window(WINDOW);
        done = engines.client(0).injectionCounter();
        for (int i = 0; i < WINDOW; i += Long.BYTES) {
            own.buffer().putLong(i, i);
        }
        for (final int rank : new int[] {0, 1, 2}) {
            engines.context(rank)
                    .handler(
                            DISPATCH_ID,
                            (from, buffer, metadata, metadataLength, payload, length) -> received.add(rank + " from "
                                    + Endpoint.task(from) + ": " + metadataLength + " "
                                    + (metadataLength == 0 ? "-" : buffer.getLong(metadata)) + ", " + length + " "
                                    + (length == 0 ? "-" : buffer.getLong(payload + length - Long.BYTES))));
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 880})
    void shouldReadMetadataAgainInEveryReplay(int length) {
        final Pattern pattern = origin.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            origin.send(new Message()
                    .to(1, DISPATCH_ID)
                    .metadata(own, 0, METADATA)
                    .payload(own, METADATA, length)
                    .completes(done));
            done.expect(length);
        });
        engines.settle();
        own.buffer().putLong(0, 77);
        done.expect(length);
        origin.replay(pattern);
        engines.settle();

        final String payload = ", " + length + " " + (length == 0 ? "-" : METADATA + length - Long.BYTES);
        assertThat(received).containsExactly("1 from 0: 128 0" + payload, "1 from 0: 128 77" + payload);
        assertThat(done.valueAcquire()).isZero();
    }

    @Test
    void shouldReadMetadataFromTheRangeOfACounter() {
        final ReceptionCounter counter = engines.client(0).receptionCounter(own, 1024, 256);
        origin.send(new Message().to(2, DISPATCH_ID).metadata(counter, 8, 16).payload(counter, 64, 8));
        engines.settle();

        assertThat(received).containsExactly("2 from 0: 16 1032, 8 1088");
    }

    @Test
    void shouldSendOneMessageToSeveralRanksOverTheirLinksAndInMemory() {
        final long[] endpoints = {Endpoint.of(1, 0, 0, 0), Endpoint.of(0, 0, 0, 0), Endpoint.of(2, 0, 0, 0)};
        final Message message = new Message()
                .to(0, DISPATCH_ID)
                .metadata(own, 256, 24)
                .payload(own, 512, 800)
                .completes(done);
        // More than the links hold at once.
        for (int i = 0; i < 10; i++) {
            done.expect(3 * 800);
            origin.multicast(message, endpoints, 0, 3);
        }
        engines.settle();

        assertThat(received).hasSize(30).allMatch(text -> text.endsWith(" from 0: 24 256, 800 1304"));
        assertThat(received).filteredOn(text -> text.startsWith("2")).hasSize(10);
        assertThat(done.valueAcquire()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 480, 481, 5000})
    void shouldNotifyAfterTheLastByte(int length) {
        final Window theirs = engines.client(1).window(WINDOW);
        final ReceptionCounter export = engines.client(1).receptionCounter(theirs, 0, WINDOW, 0, Right.PUT);
        final Target to = new Target(1, export.id(), export.incarnation(), WINDOW, false);
        engines.context(1).notified(7, (from, counter, offset, bytes) -> {
            received.add(Endpoint.task(from) + " " + (counter == export.id()) + " " + offset + " " + bytes + " value "
                    + export.valueAcquire());
        });
        export.expect(length);
        done.expect(length);

        origin.putNotifying(to, 64, own, 8, length, new Notification().at(7).completes(done));
        engines.settle();

        assertThat(received).containsExactly("0 true 64 " + length + " value 0");
        final UnsafeBuffer expected = new UnsafeBuffer(new byte[length]);
        own.buffer().getBytes(8, expected, 0, length);
        final UnsafeBuffer landed = new UnsafeBuffer(new byte[length]);
        theirs.buffer().getBytes(64, landed, 0, length);
        assertThat(landed).isEqualTo(expected);
        assertThat(done.valueAcquire()).isZero();
    }

    /** The reader of the notices does not advance, so that its lane fills up; the bytes behind wait, too. */
    @Test
    void shouldLandNothingWhileThereIsNoRoomForTheNotice() {
        final Window theirs = engines.client(1).window(WINDOW);
        final ReceptionCounter export = engines.client(1).receptionCounter(theirs, 0, WINDOW, 0, Right.PUT);
        final Target to = new Target(1, export.id(), export.incarnation(), WINDOW, false);
        final int[] notices = {0};
        engines.context(1).notified(7, (from, counter, offset, bytes) -> notices[0]++);
        final Notification notification = new Notification().at(7);
        int sent = 0;
        int idle = 0;
        while (idle < 100) {
            idle = origin.putNotifying(to, 0, own, 0, 8, notification) < 0 ? idle + 1 : 0;
            sent += idle == 0 ? 1 : 0;
            engines.pass(0);
            engines.pass(1);
        }
        final long landed = -export.valueAcquire() / 8;

        assertThat(landed).as("landed, of " + sent).isPositive().isLessThan(sent);
        engines.settle();
        assertThat(notices[0]).isEqualTo(sent);
        assertThat(export.valueAcquire()).isEqualTo(-8L * sent);
    }

    /** Parts of the two PUTs alternate, because each visit to a FIFO sends one or two. */
    @Test
    void shouldReportALongRefusedPutOnceAndLandTheOneBesideIt() {
        final Window theirs = engines.client(1).window(WINDOW);
        final ReceptionCounter wide = engines.client(1).receptionCounter(theirs, 0, WINDOW, 0, Right.PUT);
        final ReceptionCounter narrow = engines.client(1).receptionCounter(theirs, 0, 64, 0, Right.PUT);
        final InjectionCounter refused = engines.client(0).injectionCounter();
        final InjectionFifo other = origin.injectionFifo();
        other.quantum(600, 100);
        origin.fifo().quantum(600, 100);
        other.put(new Target(1, narrow.id(), narrow.incarnation(), WINDOW, false), 0, own, 0, WINDOW, refused);
        origin.put(new Target(1, wide.id(), wide.incarnation(), WINDOW, false), 0, own, 0, WINDOW, done);
        engines.settle();

        assertThat(engines.metrics(1).get(Refusal.TARGET_OUT_OF_BOUNDS))
                .as("at the owner")
                .isZero();
        assertThat(engines.metrics(0).get(Refusal.TARGET_OUT_OF_BOUNDS))
                .as("at the origin")
                .isEqualTo(1);
        assertThat(InjectionCounter.code(refused.errorAcquire())).isEqualTo(Refusal.TARGET_OUT_OF_BOUNDS.code());
        assertThat(done.errorAcquire()).isZero();
        assertThat(narrow.valueAcquire()).isZero();
        assertThat(wide.valueAcquire()).isEqualTo(-WINDOW);
        for (int i = 0; i < WINDOW; i += Long.BYTES) {
            assertThat(theirs.buffer().getLong(i)).isEqualTo(i);
        }
    }
}
