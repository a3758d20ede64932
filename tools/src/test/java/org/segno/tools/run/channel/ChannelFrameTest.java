package org.segno.tools.run.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.run.channel.ChannelFrame.Kind;

final class ChannelFrameTest {
    private static final int HEADER_LENGTH = 17;
    private static final List<Kind> KINDS = List.of(Kind.values());

    private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
    private final FrameChannel sender = new FrameChannel(InputStream.nullInputStream(), wire);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldReadWhatItHasWritten(long seed) throws IOException {
        final RandomGenerator random = new Random(seed);
        final List<ChannelFrame> sent = new ArrayList<>();
        for (int count = 0; count < 200; count++) {
            final ChannelFrame frame = frame(random);
            sent.add(frame);
            sender.send(frame);
        }
        final FrameChannel receiver = receiver(wire.toByteArray());
        for (final ChannelFrame frame : sent) {
            final ChannelFrame received = Objects.requireNonNull(receiver.read());
            assertThat(received).as("seed %d", seed).hasToString(frame.toString());
            assertThat(received.bytes()).isEqualTo(frame.bytes());
        }
        assertThat(receiver.read()).isNull();
    }

    private static ChannelFrame frame(RandomGenerator random) {
        final Kind kind = KINDS.get(random.nextInt(KINDS.size()));
        if (random.nextBoolean()) {
            return ChannelFrame.of(kind, random.nextInt(), random.nextLong());
        }
        final byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return ChannelFrame.ofBytes(kind, random.nextInt(), bytes);
    }

    @Test
    void shouldLayOutKindLengthRankAndValueBeforeTheBytes() {
        sender.send(ChannelFrame.ofBytes(Kind.OUT, 7, new byte[] {1, 2}));
        sender.send(ChannelFrame.of(Kind.EXITED, 3, 137));

        final ByteBuffer expected = ByteBuffer.allocate(2 * HEADER_LENGTH + 2);
        expected.put((byte) 'o').putInt(14).putInt(7).putLong(0).put((byte) 1).put((byte) 2);
        expected.put((byte) 'x').putInt(12).putInt(3).putLong(137);
        assertThat(wire.toByteArray()).isEqualTo(expected.array());
    }

    @Test
    void shouldReportAStreamThatEndsAnywhereWithinAFrame() {
        sender.send(ChannelFrame.ofBytes(Kind.ERR, 1, new byte[] {1, 2, 3}));
        final byte[] whole = wire.toByteArray();

        for (int length = 1; length < whole.length; length++) {
            final FrameChannel cut = receiver(Arrays.copyOf(whole, length));
            assertThatThrownBy(cut::read).as("%d bytes", length).isInstanceOf(EOFException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 11, ChannelFrame.LENGTH_LIMIT + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldRefuseALengthThatNoFrameHas(int length) {
        final byte[] bytes =
                ByteBuffer.allocate(64).put((byte) 'o').putInt(length).array();

        assertThatThrownBy(() -> receiver(bytes).read())
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "a frame OUT has 12 to 16777216 bytes after its length: " + Integer.toUnsignedString(length));
    }

    @Test
    void shouldQuoteTextThatComesInsteadOfAFrame() {
        final byte[] text = ("Welcome to b!\nLast login: " + "never ".repeat(100)).getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> receiver(text).read())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("no frame begins with 'Welcome to b! Last login: never")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(100));
    }

    @Test
    void shouldSendNothingMoreToAnEndThatIsGone() throws Exception {
        final OutputStream gone = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        final FrameChannel channel = new FrameChannel(InputStream.nullInputStream(), gone);

        channel.send(ChannelFrame.of(Kind.START));
        channel.send(ChannelFrame.of(Kind.DUMP));
        channel.hangUp();

        assertThat(channel.read()).isNull();
    }

    @Test
    void shouldPassAText() throws IOException {
        sender.send(ChannelFrame.ofText(Kind.FAILED, 127, "not found: ä"));

        final ChannelFrame frame =
                Objects.requireNonNull(receiver(wire.toByteArray()).read());
        assertThat(frame.text()).isEqualTo("not found: ä");
        assertThat(frame.value()).isEqualTo(127);
    }

    private static FrameChannel receiver(byte[] bytes) {
        return new FrameChannel(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
    }
}
