import static java.util.concurrent.TimeUnit.SECONDS;

import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * Two ranks drive an injection FIFO by hand. Each writes four PUT descriptors into slots of its node's memory and
 * publishes them by one store of the tail. It polls the head and the counter, without a wait of the context. In every
 * later round it moves the tail over the same four slots again: the engine never writes to a slot, so that the written
 * descriptors are executed once more.
 *
 * <p>The program keeps these rules. Only the numbers of contexts, FIFOs and slots are checked.
 *
 * <ul>
 *   <li>The FIFO is one that the context does not open. The context opens FIFOs from number 0 upwards, and its handlers
 *       use the last one; this is the last but one. That needs {@code NodeConfig.withFifos(3)} or more.
 *   <li>One thread uses the FIFO. It writes to no slot between the publication and the passing of the head.
 *   <li>The FIFO moves to other slots only while it is inactive and empty.
 *   <li>Only slots, tails and settings of this FIFO are written. Every other word of the node's memory belongs to the
 *       engine, the context or a peer.
 *   <li>The FIFO is empty before the node is closed: closing waits for the FIFOs of contexts only. Windows and counters
 *       that its slots name are closed after that.
 * </ul>
 *
 * <pre>
 * tools/bin/segno run -n 2 tools/examples/HandDriven.java [ROUNDS]
 * </pre>
 */
public final class HandDriven {
    /** Number of slots of the ring, a power of two: position p lies in slot p mod 4. */
    private static final int SLOTS = 4;

    private static final int LENGTH = Long.BYTES;
    private static final int SENT = 0;
    private static final int RECEIVED = 128;

    private final int rank;
    private final int peer;
    private final Context context;
    private final Window window;
    private final ReceptionCounter inbox;
    private final Target peerInbox;
    private final Memory slots;
    private final InjectionFifoProducer fifo;
    private final InjectionFifoProducer.Batch batch;
    private final long deadlineNs = Deadline.in(30, SECONDS);

    private HandDriven(Node node) {
        rank = node.rank();
        peer = 1 - rank;
        Client client = node.client();
        context = client.context();
        window = client.window(256);
        inbox = client.receptionCounter(window, RECEIVED, SLOTS * LENGTH, peer);
        client.publish("inbox", inbox);
        peerInbox = context.attach(peer, "inbox", deadlineNs);

        NodeMemory memory = node.memory();
        slots = memory.owner();
        fifo = InjectionFifoProducer.open(
                memory, 0, memory.layout().dimensions().fifos() - 2);
        batch = fifo.batch();
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        NodeConfig config = NodeConfig.defaults().withWindowBytes(4096);
        try (Node node = Node.join(JobConfig.fromEnvironment(), config)) {
            if (node.size() != 2) {
                throw new IllegalArgumentException("HandDriven has two ranks, run it with -n 2: size=" + node.size());
            }
            new HandDriven(node).run(rounds);
        }
    }

    private void run(int rounds) {
        useFourSlots();
        for (int round = 1; round <= rounds; round++) {
            inbox.expect(SLOTS * LENGTH);
            for (int i = 0; i < SLOTS; i++) {
                window.buffer().putLong(SENT + i * LENGTH, value(rank, round, i));
            }
            awaitRound(publish(round == 1));
            for (int i = 0; i < SLOTS; i++) {
                long value = window.buffer().getLong(RECEIVED + i * LENGTH);
                if (value != value(peer, round, i)) {
                    throw new IllegalStateException("value " + i + " of round " + round + " is " + value);
                }
            }
            context.barrier(deadlineNs); // both ranks have read their values: the next round may overwrite them
        }
        System.out.println("rank " + rank + " wrote " + SLOTS + " descriptors once, the engine executed "
                + fifo.metadata().descriptorsAcquire() + ", and all " + rounds * SLOTS + " received values are right");
    }

    /** Makes a ring of the FIFO's first four slots. */
    private void useFourSlots() {
        advanceUntilActive(true);
        fifo.metadata().deactivate();
        advanceUntilActive(false);
        fifo.place(fifo.firstSlot(), SLOTS);
        fifo.metadata().activate();
    }

    private void advanceUntilActive(boolean active) {
        while (fifo.metadata().isActive() != active) {
            advance();
        }
    }

    /** Moves the tail over all four slots, by one store. Returns the tail. */
    private long publish(boolean first) {
        if (!batch.begin(SLOTS)) {
            throw new IllegalStateException(
                    "the FIFO is not empty: fill=" + fifo.metadata().fill());
        }
        for (int i = 0; i < SLOTS; i++) {
            long slot = batch.claim();
            if (first) {
                writePut(slot, i);
            }
            batch.publish();
        }
        batch.commit();
        return batch.position();
    }

    /** Writes a PUT of value {@code i} to the inbox of the peer. */
    private void writePut(long slot, int i) {
        slots.putLong(slot, Descriptor.head(Operation.PUT, 0, peerInbox.rank()));
        slots.putLong(
                slot + Descriptor.TARGET_OFFSET,
                Descriptor.counterTarget(peerInbox.counter(), peerInbox.incarnation()));
        slots.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, SENT + i * LENGTH);
        slots.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(window.id(), Descriptor.NO_COUNTER));
        slots.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, i * LENGTH);
        slots.putLong(slot + Descriptor.LENGTH_OFFSET, LENGTH);
    }

    /** Polls until the head has passed the slots and the expected bytes have arrived. */
    private void awaitRound(long tail) {
        while (fifo.metadata().headAcquire() < tail || inbox.valueAcquire() > 0) {
            if (fifo.metadata().quarantineAcquire() != 0) {
                throw new IllegalStateException("the engine has found an impossible position in the FIFO");
            }
            advance();
        }
    }

    /** Advances the context, which executes descriptors where no other thread runs the engine. */
    private void advance() {
        context.advance();
        if (Deadline.reached(deadlineNs)) {
            throw new IllegalStateException("not complete: head="
                    + fifo.metadata().headAcquire() + ", value of the inbox=" + inbox.valueAcquire());
        }
    }

    private static long value(int sender, int round, int i) {
        return 1_000_000L * sender + 10L * round + i;
    }
}
