package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Message;

/**
 * Messages with every length of metadata, by value and from a window, with payloads around every limit, to every kind
 * of target, compared byte by byte.
 */
@OverMemoryAndLinks
class MessageMatrixTest {
    private static final int LONGEST = 70_000;
    private static final int IMMEDIATE = 32;
    private static final int EAGER = 300;
    private static final int PAYLOAD_AT = 64;

    @TempDir
    Path directory;

    private int seed;

    @ParameterizedTest(name = "eager limit {0}, to context {2} of rank {1}")
    @CsvSource({
        "300, 0, 0", "300, 0, 1", "300, 1, 0", "300, 1, 1",
        "16384, 0, 0", "16384, 0, 1", "16384, 1, 0", "16384, 1, 1"
    })
    void shouldBringEveryMessageByteForByte(long eagerLimit, int rank, int context) {
        try (MessengerPairs all =
                new MessengerPairs(directory, LONGEST, config -> config.withEagerLimitBytes(eagerLimit))) {
            final TestMessenger to = all.of(rank, context);
            final long mostEager = Math.min(eagerLimit, all.of(0, 0).context.longestFor(new Message().to(rank, 0)));
            if (eagerLimit == EAGER) {
                assertThat(mostEager).isEqualTo(EAGER);
            } else {
                assertThat(mostEager).isIn((long) MessengerPairs.LANE_QUARTER, (long) MessengerPairs.LINKED_LANE_HALF);
            }
            for (int metadata = 0; metadata <= 24; metadata++) {
                for (final int length : lengthsBeside(metadata)) {
                    shouldBring(all, to, metadata, length, false, mostEager);
                    shouldBring(all, to, metadata, length, true, mostEager);
                }
            }
            shouldBring(all, to, 24, LONGEST, true, mostEager);
        }
    }

    private static Set<Integer> lengthsBeside(int metadata) {
        final Set<Integer> lengths = new TreeSet<>(Set.of(0, 1, 7, 8, 9));
        for (final int limit :
                new int[] {IMMEDIATE, EAGER, MessengerPairs.LANE_QUARTER, MessengerPairs.LINKED_LANE_HALF, 4096}) {
            for (int more = -1; more <= 1; more++) {
                lengths.add(limit - metadata + more);
            }
        }
        return lengths;
    }

    /** Sends one message, overwrites its bytes as soon as that is allowed, and compares the received message. */
    private void shouldBring(
            MessengerPairs all, TestMessenger to, int metadataLength, int length, boolean fromWindow, long mostEager) {
        final TestMessenger from = all.of(0, 0);
        final byte[] metadata = TestMessenger.bytes(++seed, metadataLength);
        final byte[] payload = TestMessenger.bytes(++seed, length);
        from.source.buffer().putBytes(1, metadata);
        from.source.buffer().putBytes(PAYLOAD_AT, payload);
        from.message.to(to.context.endpoint(), TestMessenger.DISPATCH).payload(from.source, PAYLOAD_AT, length);
        if (fromWindow) {
            from.message.metadata(from.source, 1, metadataLength);
        } else {
            from.message.metadata(new UnsafeBuffer(metadata), 0, metadataLength);
        }
        final Completion local = failure -> {
            overwrite(from, length);
            from.noting("local").onComplete(failure);
        };
        assertThat(from.messenger.send(from.message, local, from.noting("remote")))
                .isNotNegative();
        if (metadataLength + length <= IMMEDIATE) {
            overwrite(from, length);
        }
        all.settle();
        final String what = metadataLength + " bytes of metadata " + (fromWindow ? "from a window" : "by value")
                + " and " + length + " of payload";
        assertThat(to.received)
                .as(what)
                .containsExactly(new TestMessenger.Received(
                        0,
                        metadataLength + length > mostEager && length > 0,
                        HexFormat.of().formatHex(metadata),
                        HexFormat.of().formatHex(payload)));
        assertThat(from.ends).as(what).containsExactly("local", "remote");
        to.received.clear();
        from.ends.clear();
    }

    private static void overwrite(TestMessenger from, int length) {
        from.source.buffer().setMemory(0, PAYLOAD_AT + length, (byte) 0xEE);
    }
}
