package org.segno.transport.aeron;

import static io.aeron.protocol.DataHeaderFlyweight.HEADER_LENGTH;
import static io.aeron.protocol.DataHeaderFlyweight.RESERVED_VALUE_OFFSET;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Tags of datagrams, which show that the holder of a key sent them as they are. The tag of a frame is the keyed hash of
 * its header and of the CRC-32C of its body, and lies in the reserved value of the header. Aeron's other messages have
 * their tag at their end. The CRC-32C is fast but has no key: somebody who can read the network could replace a body by
 * one with the same CRC-32C, and the tag would still be valid. Nobody else can.
 *
 * <p>Lengths and types differ, so a tag of one kind of datagram fits no other.
 */
public final class FrameTags {
    /** Bytes of a tag. */
    static final int LENGTH = Long.BYTES;

    private final SipHash hash;
    private final CRC32C checksum = new CRC32C();

    /** Creates the tags under a key. */
    public FrameTags(LinkKey key) {
        this.hash = key.hash();
    }

    /** Writes the tag of a frame at an offset of a direct buffer. */
    public void write(UnsafeBuffer datagram, int offset, int bodyLength) {
        datagram.putLong(offset + RESERVED_VALUE_OFFSET, tag(datagram, offset, bodyLength), LITTLE_ENDIAN);
    }

    /** Returns true if a frame has the right tag. */
    public boolean isRight(UnsafeBuffer datagram, int offset, int bodyLength) {
        final long tag = datagram.getLong(offset + RESERVED_VALUE_OFFSET, LITTLE_ENDIAN);
        final boolean isRight = tag == tag(datagram, offset, bodyLength);
        datagram.putLong(offset + RESERVED_VALUE_OFFSET, tag, LITTLE_ENDIAN);
        return isRight;
    }

    /** Returns the tag of a frame. Its place holds the checksum then. */
    private long tag(UnsafeBuffer datagram, int offset, int bodyLength) {
        datagram.putLong(offset + RESERVED_VALUE_OFFSET, checksum(datagram, offset, bodyLength), LITTLE_ENDIAN);
        return hash.hash(datagram, offset, HEADER_LENGTH);
    }

    private long checksum(UnsafeBuffer datagram, int offset, int bodyLength) {
        if (bodyLength == 0) {
            return 0;
        }
        final ByteBuffer bytes = datagram.byteBuffer();
        final int position = bytes.position();
        final int limit = bytes.limit();
        final int body = offset + HEADER_LENGTH;
        bytes.limit(body + bodyLength).position(body);
        checksum.reset();
        checksum.update(bytes);
        bytes.limit(limit).position(position);
        return checksum.getValue();
    }

    /** Writes the tag of a message behind it. */
    void append(UnsafeBuffer message, int length) {
        message.putLong(length, hash.hash(message, 0, length), LITTLE_ENDIAN);
    }

    /** Returns true if the right tag is behind a message. */
    boolean isAppended(UnsafeBuffer message, int length) {
        return message.getLong(length, LITTLE_ENDIAN) == hash.hash(message, 0, length);
    }
}
