package org.segno.tools.run.channel;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One frame between the launcher and the agent of a host.
 *
 * <pre>
 *  offset  length  field    meaning, big-endian
 *       0       1  kind     {@link Kind#code}
 *       1       4  length   bytes that follow
 *       5       4  subject  rank, or 0
 *       9       8  value    depends on the kind
 *      17          bytes    depends on the kind
 * </pre>
 */
public final class ChannelFrame {
    /** The most bytes after the length. Only a stream that is no channel has a longer frame. */
    static final int LENGTH_LIMIT = 1 << 24;

    private static final int FIXED_LENGTH = Integer.BYTES + Long.BYTES;
    private static final int PRINTED_LIMIT = 60;
    private static final byte[] NOTHING = {};

    /** The kinds of frames. */
    public enum Kind {
        /** To the agent, the first: version of this format; a {@link HostSpec}. */
        SPEC('S'),

        /** To the agent, after {@link #READY} of all hosts: start the ranks. */
        START('G'),

        /** To the agent: standard input of a rank; no bytes at its end. */
        INPUT('I'),

        /** To the agent: send TERM to a rank. */
        TERM('T'),

        /** To the agent: send KILL to a rank. */
        KILL('K'),

        /** To the agent: request a thread dump of each rank. */
        DUMP('D'),

        /** From the agent: all checks are done, and its hub is connected. */
        READY('r'),

        /** From the agent: a rank's process has started; process id. */
        STARTED('s'),

        /** From the agent: standard output of a rank; no bytes at its end. */
        OUT('o'),

        /** From the agent: standard error of a rank; no bytes at its end. */
        ERR('e'),

        /** From the agent: the rank has accepted bytes of its input; their number. */
        TAKEN('t'),

        /** From the agent: a rank's process has ended; exit status. */
        EXITED('x'),

        /** From the agent: a message for the user; code of a {@link Level}; text. */
        MESSAGE('m'),

        /** From the agent: the job must end; exit code; text. */
        FAILED('f'),

        /** From the agent, the last: all ranks have ended. */
        DONE('d');

        private final char code;

        Kind(char code) {
            this.code = code;
        }

        private static @Nullable Kind of(int code) {
            for (final Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** The importance of a message. */
    public enum Level {
        /** Printed with {@code -v}. */
        DETAIL(0),

        /** Printed without {@code -q}. */
        MESSAGE(1),

        /** Always printed. */
        PROBLEM(2);

        private final int code;

        Level(int code) {
            this.code = code;
        }
    }

    private final Kind kind;
    private final int subject;
    private final long value;
    private final byte[] bytes;

    private ChannelFrame(Kind kind, int subject, long value, byte[] bytes) {
        this.kind = kind;
        this.subject = subject;
        this.value = value;
        this.bytes = bytes;
    }

    /** Returns a frame without content. */
    public static ChannelFrame of(Kind kind) {
        return new ChannelFrame(kind, 0, 0, NOTHING);
    }

    /** Returns a frame about a rank. */
    public static ChannelFrame of(Kind kind, int rank, long value) {
        return new ChannelFrame(kind, rank, value, NOTHING);
    }

    /** Returns a frame with bytes of a rank, which the frame keeps. */
    public static ChannelFrame ofBytes(Kind kind, int rank, byte[] bytes) {
        return new ChannelFrame(kind, rank, 0, bytes);
    }

    /** Returns a frame with a text for the user. */
    public static ChannelFrame ofText(Kind kind, long value, String text) {
        return new ChannelFrame(kind, 0, value, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a message for the user. */
    public static ChannelFrame ofMessage(Level level, String text) {
        return ofText(Kind.MESSAGE, level.code, text);
    }

    /**
     * Returns the first frame.
     *
     * @param version the version of the format of the bytes
     */
    static ChannelFrame ofSpec(long version, byte[] bytes) {
        return new ChannelFrame(Kind.SPEC, 0, version, bytes);
    }

    /** Returns the kind. */
    public Kind kind() {
        return kind;
    }

    /** Returns the rank. */
    public int rank() {
        return subject;
    }

    /** Returns the value. */
    public long value() {
        return value;
    }

    /** Returns the importance of a message. One of unknown importance is a problem. */
    public Level level() {
        return value == Level.DETAIL.code ? Level.DETAIL : value == Level.MESSAGE.code ? Level.MESSAGE : Level.PROBLEM;
    }

    /** Returns the bytes, which belong to the caller from then on. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the bytes as text. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    void write(DataOutputStream out) throws IOException {
        out.writeByte(kind.code);
        out.writeInt(FIXED_LENGTH + bytes.length);
        out.writeInt(subject);
        out.writeLong(value);
        out.write(bytes);
    }

    /**
     * Reads a frame. Returns null at the end of the stream.
     *
     * @throws EOFException if the stream ends within a frame.
     * @throws ProtocolException if the bytes are no frame; the message contains them.
     * @throws IOException if a frame is too short or too long, or the stream fails.
     */
    static @Nullable ChannelFrame read(DataInputStream in) throws IOException {
        final int code = in.read();
        if (code < 0) {
            return null;
        }
        final Kind kind = Kind.of(code);
        if (kind == null) {
            throw new ProtocolException("no frame begins with '" + printable(code, in) + "'");
        }
        final int length = in.readInt();
        if (length < FIXED_LENGTH || length > LENGTH_LIMIT) {
            throw new IOException("a frame " + kind + " has " + FIXED_LENGTH + " to " + LENGTH_LIMIT
                    + " bytes after its length: " + Integer.toUnsignedString(length));
        }
        final int subject = in.readInt();
        final long value = in.readLong();
        final byte[] bytes = new byte[length - FIXED_LENGTH];
        in.readFully(bytes);
        return new ChannelFrame(kind, subject, value, bytes);
    }

    /** Returns the beginning of the text that a login script, for instance, has printed instead of a frame. */
    private static String printable(int first, DataInputStream in) throws IOException {
        final StringBuilder text = new StringBuilder().append((char) first);
        final byte[] rest = new byte[Math.min(in.available(), PRINTED_LIMIT)];
        in.readFully(rest);
        text.append(new String(rest, StandardCharsets.UTF_8));
        return text.toString().replaceAll("[\\p{Cntrl}]", " ").strip();
    }

    @Override
    public String toString() {
        return kind + " rank " + subject + " value " + value + ", " + bytes.length + " bytes";
    }
}
