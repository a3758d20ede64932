package org.segno.engine.dma;

import org.agrona.collections.Int2IntHashMap;
import org.jspecify.annotations.Nullable;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.geometry.Endpoint;
import org.segno.status.Refusal;

/**
 * Lookups of names over links: asks peers for the names that this node's contexts look for, and answers what peers ask.
 * Each context waits for the answer to at most one question. Used only by the engine's thread.
 */
final class NameUnit {
    /** Bits of the number of a question that select the context. */
    private static final int CONTEXT_BITS = 8;

    /** Number of unanswered questions at which the questions to lost ranks are removed. */
    private static final int MOST_UNANSWERED = 64;

    /** Length in bytes of an entry in a packet: its id and incarnation, and its length. */
    private static final int ENTRY_LENGTH = 2 * Long.BYTES;

    private final NameLookups lookups;
    private final NameDirectory own;
    private final ContextStates contexts;
    private final Ports ports;
    private final DmaEngine.Share share;
    private final NameLookups.@Nullable Question[] asked;
    private final int[] numbers;

    /** Rank by the number of each unanswered question, also if its wait has ended. */
    private final Int2IntHashMap unanswered = new Int2IntHashMap(-1);

    private final long[] name = new long[NameDirectory.NAME_WORDS];

    /** Ids of the contexts of the client that was found last. */
    private final int[] found = new int[Endpoint.CONTEXTS];

    private int questions;

    NameUnit(NodeMemory node, NameLookups lookups, Ports ports, DmaEngine.Share share) {
        this.lookups = lookups;
        this.own = new NameDirectory(node);
        this.contexts = new ContextStates(node);
        this.ports = ports;
        this.share = share;
        this.asked = new NameLookups.Question[lookups.contexts()];
        this.numbers = new int[asked.length];
    }

    /** Asks for the names that contexts look for. Returns the number of questions sent. */
    int doWork() {
        int sent = 0;
        for (int context = 0; context < asked.length; context++) {
            final NameLookups.Question question = lookups.question(context);
            if (question != null && question != asked[context] && share.asksFor(context) && ask(context, question)) {
                sent++;
            }
        }
        return sent;
    }

    private boolean ask(int context, NameLookups.Question question) {
        final LinkPort port = ports.reaches(question.rank()) ? ports.port(question.rank()) : null;
        // If the peer is lost, the waiter finds that by itself.
        if (port == null || port.reach() != Landing.LANDED || !port.hasRoom(Frame.REQUESTS)) {
            return false;
        }
        asked[context] = question;
        numbers[context] = ++questions << CONTEXT_BITS | context;
        if (unanswered.size() >= MOST_UNANSWERED) {
            unanswered.values().removeIf(rank -> !isReached(rank));
        }
        unanswered.put(numbers[context], question.rank());
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

    private boolean isReached(int rank) {
        final LinkPort port = ports.port(rank);
        return port != null && port.reach() == Landing.LANDED;
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
        final NameDirectory.Entry entry = find();
        final int count = entry == null ? 0 : contextCount(entry);
        final int length = entry == null ? 0 : ENTRY_LENGTH + count * Short.BYTES;
        final Packet reply = port.claim(Frame.REPLIES, PacketKind.NAME, Packet.FIRST, length);
        reply.target(request, entry == null ? 0 : entry.kind(), 0);
        if (entry != null) {
            final long ids = (entry.id() & 0xFFFF_FFFFL) | (long) entry.incarnation() << Integer.SIZE;
            reply.memory().putLong(reply.payload(), ids);
            reply.memory().putLong(reply.payload() + Long.BYTES, entry.length());
            for (int i = 0; i < count; i++) {
                reply.memory().putShort(reply.payload() + ENTRY_LENGTH + (long) i * Short.BYTES, (short) found[i]);
            }
        }
        port.publish(Frame.REPLIES);
        return Landing.LANDED;
    }

    /** Looks for the name, and notes the ids of the contexts of a client. */
    private NameDirectory.@Nullable Entry find() {
        final NameDirectory.Entry entry = own.find(name);
        if (entry == null || entry.kind() != NameDirectory.CLIENT) {
            return entry;
        }
        for (int i = 0; i < entry.contexts(); i++) {
            final int context = entry.id() + i;
            found[i] = Endpoint.idOf(context, ContextStates.use(contexts.stateAcquire(context)));
        }
        // The name is withdrawn before the next use of a context begins.
        return entry.equals(own.find(name)) ? entry : null;
    }

    private static int contextCount(NameDirectory.Entry entry) {
        return entry.kind() == NameDirectory.CLIENT ? entry.contexts() : 0;
    }

    /** Accepts the answer of a peer. Returns a result of {@link Landing}. */
    int accept(int rank, Packet packet) {
        final int number = packet.target();
        final int context = number & (1 << CONTEXT_BITS) - 1;
        final NameLookups.Question question = context < asked.length ? asked[context] : null;
        if (question == null || unanswered.get(number) != rank) {
            return Refusal.NOT_ASKED_FOR.code();
        }
        final int kind = packet.detail();
        final boolean isAbsent = kind == 0 && packet.payloadLength() == 0;
        final boolean isEntry = NameDirectory.isPublished(kind) && packet.payloadLength() >= ENTRY_LENGTH;
        final NameLookups.Found answer = isEntry ? found(entry(kind, packet), packet) : null;
        if (!isAbsent && answer == null) {
            return Refusal.BAD_PACKET.code();
        }
        unanswered.remove(number);
        if (numbers[context] == number) {
            lookups.answer(context, question, answer);
        }
        return Landing.LANDED;
    }

    /** Returns what a peer has found, or null if the ids of a client's contexts are not there or not possible. */
    private static NameLookups.@Nullable Found found(NameDirectory.Entry entry, Packet packet) {
        final int count = (packet.payloadLength() - ENTRY_LENGTH) / Short.BYTES;
        if (packet.payloadLength() != ENTRY_LENGTH + count * Short.BYTES || count != contextCount(entry)) {
            return null;
        }
        final int[] ids = new int[count];
        for (int i = 0; i < count; i++) {
            ids[i] = packet.memory().getShort(packet.payload() + ENTRY_LENGTH + (long) i * Short.BYTES) & 0xFFFF;
            if (Endpoint.contextOf(ids[i]) != entry.id() + i) {
                return null;
            }
        }
        return new NameLookups.Found(entry, ids);
    }

    private static NameDirectory.Entry entry(int kind, Packet packet) {
        final long ids = packet.memory().getLong(packet.payload());
        final long length = packet.memory().getLong(packet.payload() + Long.BYTES);
        return new NameDirectory.Entry(kind, (int) ids, (int) (ids >>> Integer.SIZE), length);
    }
}
