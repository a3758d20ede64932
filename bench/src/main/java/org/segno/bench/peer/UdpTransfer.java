package org.segno.bench.peer;

import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;

/**
 * Ranges over bare Aeron by UDP: copied from memory into messages of maximum length, and out of them into memory. One
 * operation is one range, until the receiver's reply has arrived.
 */
final class UdpTransfer implements Side, FragmentHandler {
    private static final int FRAGMENT_LIMIT = 16;

    private final Role role;
    private final AeronUdp udp;
    private final UnsafeBuffer source;
    private final UnsafeBuffer target;
    private final int size;

    /** Received bytes of the range at the receiver, of the reply at the sender. */
    private int arrived;

    UdpTransfer(Role role, AeronUdp udp, int size) {
        this.role = role;
        this.udp = udp;
        this.size = size;
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
        this.target = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
        source.setMemory(0, size, (byte) 1);
        target.setMemory(0, size, (byte) 0);
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        udp.prepare();
        final long beginNs = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            if (role == Role.ORIGIN) {
                send(size);
                receive(Long.BYTES);
            } else {
                receive(size);
                send(Long.BYTES);
            }
        }
        figures.set(0, (System.nanoTime() - beginNs) / (double) operations);
    }

    private void send(int bytes) {
        int sent = 0;
        while (sent < bytes) {
            final int length = Math.min(udp.frameLimit(), bytes - sent);
            udp.claim(length);
            final BufferClaim claim = udp.claimed();
            claim.buffer().putBytes(claim.offset(), source, sent, length);
            claim.commit();
            sent += length;
            // A message fills a datagram, of which a pass sends one.
            udp.turn();
        }
    }

    private void receive(int bytes) {
        arrived = 0;
        while (arrived < bytes) {
            udp.turn();
            udp.poll(this, FRAGMENT_LIMIT);
        }
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        target.putBytes(arrived, buffer, offset, length);
        arrived += length;
    }

    UnsafeBuffer source() {
        return source;
    }

    UnsafeBuffer target() {
        return target;
    }

    @Override
    public void close() {
        udp.close();
    }
}
