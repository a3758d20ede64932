package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.status.Refusal;

/**
 * Lookups of names over links: asks peers for the names that this node's contexts look for, and answers what peers ask.
 * Each context has at most one open question. Used only by the engine's thread.
 */
final class NameUnit {
    /** Bits of the number of a question that select the context. */
    private static final int CONTEXT_BITS = 8;

    private final NameLookups lookups;
    private final NameDirectory own;
    private final @Nullable LinkPort[] ports;
    private final NameLookups.@Nullable Question[] asked;
    private final int[] numbers;
    private final boolean[] isOpen;
    private final long[] name = new long[NameDirectory.NAME_WORDS];
    private int questions;

    NameUnit(NodeMemory node, NameLookups lookups, @Nullable LinkPort[] ports) {
        this.lookups = lookups;
        this.own = new NameDirectory(node);
        this.ports = ports;
        this.asked = new NameLookups.Question[lookups.contexts()];
        this.numbers = new int[asked.length];
        this.isOpen = new boolean[asked.length];
    }

    /** Asks for the names that contexts look for. Returns the number of questions sent. */
    int doWork() {
        int sent = 0;
        for (int context = 0; context < asked.length; context++) {
            final NameLookups.Question question = lookups.question(context);
            if (question != null && question != asked[context] && ask(context, question)) {
                sent++;
            }
        }
        return sent;
    }

    private boolean ask(int context, NameLookups.Question question) {
        final LinkPort port = ports[question.rank()];
        // If the peer is lost, the waiter finds that by itself.
        if (port == null || port.reach() != Landing.LANDED || !port.hasRoom(Frame.REQUESTS)) {
            return false;
        }
        asked[context] = question;
        isOpen[context] = true;
        numbers[context] = ++questions << CONTEXT_BITS | context;
        final Packet packet = port.claim(
                        Frame.REQUESTS, PacketKind.ASK_NAME, Packet.FIRST, NameDirectory.NAME_WORDS * Long.BYTES)
                .target(0, 0, 0)
                .request(numbers[context]);
        for (int i = 0; i < question.words(); i++) {
            packet.memory().putLong(packet.payload() + (long) i * Long.BYTES, question.word(i));
        }
        port.publishRequest(Frame.REQUESTS);
        return true;
    }

    /** Answers a peer's question. Returns a result of {@link Landing}. */
    int answer(LinkPort port, Packet packet) {
        if (packet.payloadLength() != NameDirectory.NAME_WORDS * Long.BYTES) {
            return Refusal.BAD_PACKET.code();
        }
        if (!port.hasRoom(Frame.REPLIES)) {
            return Landing.NO_ROOM;
        }
        final Memory memory = packet.memory();
        for (int i = 0; i < name.length; i++) {
            name[i] = memory.getLong(packet.payload() + (long) i * Long.BYTES);
        }
        final int request = packet.request();
        final NameDirectory.Entry entry = own.find(name);
        final Packet reply =
                port.claim(Frame.REPLIES, PacketKind.NAME, Packet.FIRST, entry == null ? 0 : 2 * Long.BYTES);
        reply.target(request, entry == null ? 0 : entry.kind(), 0);
        if (entry != null) {
            final long ids = (entry.id() & 0xFFFF_FFFFL) | (long) entry.incarnation() << Integer.SIZE;
            reply.memory().putLong(reply.payload(), ids);
            reply.memory().putLong(reply.payload() + Long.BYTES, entry.length());
        }
        port.publish(Frame.REPLIES);
        return Landing.LANDED;
    }

    /** Accepts the answer of a peer. Returns a result of {@link Landing}. */
    int accept(int rank, Packet packet) {
        final int number = packet.target();
        final int context = number & (1 << CONTEXT_BITS) - 1;
        final NameLookups.Question question = context < asked.length && isOpen[context] ? asked[context] : null;
        if (question == null || numbers[context] != number || question.rank() != rank) {
            return Refusal.NOT_ASKED_FOR.code();
        }
        final int kind = packet.detail();
        final boolean isAbsent = kind == 0 && packet.payloadLength() == 0;
        final boolean isEntry = NameDirectory.isPublished(kind) && packet.payloadLength() == 2 * Long.BYTES;
        if (!isAbsent && !isEntry) {
            return Refusal.BAD_PACKET.code();
        }
        isOpen[context] = false;
        lookups.answer(context, question, isAbsent ? null : entry(kind, packet));
        return Landing.LANDED;
    }

    private static NameDirectory.Entry entry(int kind, Packet packet) {
        final long ids = packet.memory().getLong(packet.payload());
        final long length = packet.memory().getLong(packet.payload() + Long.BYTES);
        return new NameDirectory.Entry(kind, (int) ids, (int) (ids >>> Integer.SIZE), length);
    }
}
