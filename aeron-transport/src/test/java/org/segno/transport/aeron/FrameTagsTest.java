package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FrameTagsTest {
    private static final int HEADER = 32;
    private static final int BODY = 96;
    private static final int OFFSET = 64;

    private final UnsafeBuffer datagram = new UnsafeBuffer(ByteBuffer.allocateDirect(OFFSET + HEADER + BODY));
    private final FrameTags tags = new FrameTags(new LinkKey(1, 2, 3));

    private void fill() {
        final byte[] bytes = new byte[datagram.capacity()];
        new Random(5).nextBytes(bytes);
        datagram.putBytes(0, bytes);
        tags.write(datagram, OFFSET, BODY);
    }

    @Test
    void shouldDependOnEachBitOfAFrame() {
        fill();
        assertThat(tags.isRight(datagram, OFFSET, BODY)).isTrue();
        for (int i = OFFSET; i < OFFSET + HEADER + BODY; i++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                datagram.putByte(i, (byte) (datagram.getByte(i) ^ (1 << bit)));
                assertThat(tags.isRight(datagram, OFFSET, BODY))
                        .as("byte %d bit %d", i, bit)
                        .isFalse();
                datagram.putByte(i, (byte) (datagram.getByte(i) ^ (1 << bit)));
            }
        }
        assertThat(tags.isRight(datagram, OFFSET, BODY)).isTrue();
        assertThat(tags.isRight(datagram, OFFSET, 0)).isFalse();
    }

    @Test
    void shouldDependOnEachHalfOfTheKey() {
        fill();
        assertThat(new FrameTags(new LinkKey(1, 2, 4)).isRight(datagram, OFFSET, BODY))
                .isFalse();
        assertThat(new FrameTags(new LinkKey(1, 0, 3)).isRight(datagram, OFFSET, BODY))
                .isFalse();
    }

    @Test
    void shouldLeaveTheBufferAsItWas() {
        fill();
        datagram.byteBuffer().limit(100).position(40);
        tags.isRight(datagram, OFFSET, BODY);
        assertThat(datagram.byteBuffer().position()).isEqualTo(40);
        assertThat(datagram.byteBuffer().limit()).isEqualTo(100);
    }

    @Test
    void shouldDependOnEachBitOfAMessage() {
        fill();
        tags.append(datagram, 28);
        for (int i = 0; i < 28 + FrameTags.LENGTH; i++) {
            assertThat(tags.isAppended(datagram, 28)).isTrue();
            datagram.putByte(i, (byte) (datagram.getByte(i) ^ 4));
            assertThat(tags.isAppended(datagram, 28)).as("byte %d", i).isFalse();
            datagram.putByte(i, (byte) (datagram.getByte(i) ^ 4));
        }
    }
}
