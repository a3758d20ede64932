package org.segno.transport.aeron;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Network between the sender and the receiver of one direction of a link. Each has the other's address from it. It
 * passes datagrams on in its steps, and subjects them to faults that a seed determines. A test sends datagrams of its
 * own with the addresses of either.
 */
final class UdpProxy implements AutoCloseable {
    /** Datagrams by which one may be overtaken. */
    private static final int DISTANCE = 64;

    private static final int THOUSAND = 1000;

    /** Datagrams of each kind that are kept for a later job. */
    private static final int KEPT = 500;

    private final DatagramChannel front = open();
    private final DatagramChannel back = open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private final InetSocketAddress receiver;
    private final Delivery delivery = new Delivery();
    private final Way onward;
    private final Way backward;
    private @Nullable SocketAddress sender;

    UdpProxy(AeronAddress receiver, Faults faults, long seed, List<byte[]> old) {
        this.receiver = new InetSocketAddress(receiver.host(), receiver.port());
        this.onward = new Way(faults, seed, old, this::sendOnward, delivery::onward);
        this.backward = new Way(faults, ~seed, old, this::sendBackward, delivery::backward);
    }

    private static DatagramChannel open() {
        try {
            final DatagramChannel channel =
                    DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.configureBlocking(false);
            return channel;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A datagram that is under way, until a number of others have passed. */
    private static final class Pending {
        final int due;
        final int order;
        final byte[] bytes;
        final boolean isGenuine;

        Pending(int due, int order, byte[] bytes, boolean isGenuine) {
            this.due = due;
            this.order = order;
            this.bytes = bytes;
            this.isGenuine = isGenuine;
        }
    }

    /** Datagrams of one way, and their faults. */
    private static final class Way {
        private final PriorityQueue<Pending> pending =
                new PriorityQueue<>((a, b) -> a.due != b.due ? a.due - b.due : a.order - b.order);
        private final Random chance;
        private final List<byte[]> old;
        private final BiConsumer<byte[], Boolean> notes;
        private final Consumer<byte[]> out;
        private final List<byte[]> kept = new ArrayList<>();
        private Faults faults;
        private int step;
        private int count;
        private int lost;
        private int repeated;
        private int late;
        private int changed;
        private int oldOnes;
        private int lossesToCome;
        private volatile byte[] last = new byte[0];

        Way(Faults faults, long seed, List<byte[]> old, Consumer<byte[]> out, BiConsumer<byte[], Boolean> notes) {
            this.faults = faults;
            this.chance = new Random(seed);
            this.old = old;
            this.out = out;
            this.notes = notes;
        }

        private boolean is(int ofThousand) {
            return chance.nextInt(THOUSAND) < ofThousand;
        }

        void accept(byte[] bytes) {
            count++;
            last = bytes;
            notes.accept(bytes, false);
            if (kept.size() < KEPT) {
                kept.add(bytes);
            }
            if (is(faults.old()) && !old.isEmpty()) {
                oldOnes++;
                hold(old.get(chance.nextInt(old.size())), false);
            }
            if (lossesToCome > 0 || is(faults.lost())) {
                lossesToCome = Math.max(0, lossesToCome - 1);
                lost++;
                return;
            }
            if (is(faults.changed())) {
                changed++;
                hold(changed(bytes), false);
                return;
            }
            hold(bytes, true);
            if (is(faults.repeated())) {
                repeated++;
                hold(bytes, true);
            }
        }

        private void hold(byte[] bytes, boolean isGenuine) {
            int due = step;
            if (is(faults.late())) {
                late++;
                due += chance.nextInt(DISTANCE);
            }
            pending.add(new Pending(due, count, bytes, isGenuine));
        }

        private byte[] changed(byte[] bytes) {
            final byte[] other = bytes.clone();
            for (int bit = chance.nextInt(3); bit >= 0; bit--) {
                // Distinct bits.
                other[chance.nextInt(bytes.length / 3) * 3 + bit] ^= (byte) (1 << chance.nextInt(Byte.SIZE));
            }
            return other;
        }

        int release() {
            step++;
            int released = 0;
            while (!pending.isEmpty() && pending.element().due < step) {
                final Pending next = pending.remove();
                out.accept(next.bytes);
                if (next.isGenuine) {
                    notes.accept(next.bytes, true);
                }
                released++;
            }
            return released;
        }
    }

    /** Returns the address of the sender's socket. */
    SocketAddress sender() {
        return requireNonNull(sender);
    }

    /** Returns the address that the sender connects to. */
    AeronAddress address() {
        final InetSocketAddress address = local(front);
        return new AeronAddress(address.getAddress(), address.getPort());
    }

    private static InetSocketAddress local(DatagramChannel channel) {
        try {
            return (InetSocketAddress) channel.getLocalAddress();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Passes on what has come. Returns the number of datagrams that came, left or wait. */
    int step() {
        int work = 0;
        for (byte[] bytes = receive(front, true); bytes != null; bytes = receive(front, true)) {
            onward.accept(bytes);
            work++;
        }
        for (byte[] bytes = receive(back, false); bytes != null; bytes = receive(back, false)) {
            backward.accept(bytes);
            work++;
        }
        return work + onward.release() + backward.release() + onward.pending.size() + backward.pending.size();
    }

    private byte @Nullable [] receive(DatagramChannel channel, boolean isSender) {
        try {
            buffer.clear();
            final SocketAddress source = channel.receive(buffer);
            if (source == null) {
                return null;
            }
            if (isSender) {
                sender = source;
            }
            final byte[] bytes = new byte[buffer.flip().remaining()];
            buffer.get(bytes);
            return bytes;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a datagram to the receiver, from the address of its peer. */
    void sendOnward(byte[] bytes) {
        send(back, bytes, receiver);
    }

    /** Sends a datagram to the sender, from the address of its peer. */
    void sendBackward(byte[] bytes) {
        final SocketAddress known = sender;
        if (known != null) {
            send(front, bytes, known);
        }
    }

    static void send(DatagramChannel channel, byte[] bytes, SocketAddress to) {
        try {
            channel.send(ByteBuffer.wrap(bytes), to);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Changes the faults of the datagrams that come from now on. */
    void set(Faults faults) {
        onward.faults = faults;
        backward.faults = faults;
    }

    /** Drops this number of datagrams of the sender. */
    void dropNext(int datagrams) {
        onward.lossesToCome = datagrams;
    }

    /** Returns true if all that the sender sent has been delivered, and its acceptance. */
    boolean isSettled() {
        return onward.pending.isEmpty() && backward.pending.isEmpty() && delivery.isComplete();
    }

    /** Returns the datagrams of the sender that came first. */
    List<byte[]> keptOnward() {
        return onward.kept;
    }

    /** Returns the last datagram of the sender. */
    byte[] lastOnward() {
        return onward.last;
    }

    /** Returns the last datagram of the receiver. */
    byte[] lastBackward() {
        return backward.last;
    }

    /** Returns the number of datagrams of the receiver. */
    int countBackward() {
        return backward.count;
    }

    @Override
    public String toString() {
        return "datagrams=" + (onward.count + backward.count) + " lost=" + (onward.lost + backward.lost) + " repeated="
                + (onward.repeated + backward.repeated) + " late=" + (onward.late + backward.late) + " changed="
                + (onward.changed + backward.changed) + " old=" + (onward.oldOnes + backward.oldOnes);
    }

    /** Returns what has been delivered of what was sent. */
    String progress() {
        return delivery.toString();
    }

    @Override
    public void close() {
        try {
            front.close();
            back.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
