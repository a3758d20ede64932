package org.segno.engine.weak;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Message;

/**
 * Closing and opening of a client by one node, in one context. The other node sends to the endpoints of all its uses,
 * and its engine rests between passes, or is run by its application, which executes lone messages directly. Each
 * message names the use that it is meant for, and its number among those that were not refused there. A use receives
 * its own messages only, and none of them is missing.
 */
final class ReopenWorkload implements Workload {
    private static final int USES = 6;
    private static final int CHECKS = 12;
    private static final int LENGTH = 16;
    private static final int ID = 3;
    private static final int[] REST_PERCENT = {0, 10, 40, 90};

    private final boolean invoked;

    ReopenWorkload(boolean invoked) {
        this.invoked = invoked;
    }

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public boolean keepsFences() {
        return true;
    }

    @Override
    public boolean isInvoked() {
        return invoked;
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final int restPercent = REST_PERCENT[chance.nextInt(REST_PERCENT.length)];
        final Sender sender = new Sender(nodes, chance.split(), invoked ? restPercent : -1);
        final Owner owner = new Owner(nodes, sender);
        if (invoked) {
            return List.of(nodes.application(sender::run), nodes.application(owner::run));
        }
        // The engine of rank 1 never runs: it rests from its creation.
        return List.of(
                nodes.application(sender::run),
                engine(nodes, chance.split(), restPercent),
                nodes.application(owner::run));
    }

    private static Runnable engine(WeakNodes nodes, SplittableRandom chance, int restPercent) {
        return () -> {
            final DmaEngine engine = nodes.dmaEngine(0);
            while (nodes.isBusy()) {
                final boolean worked = engine.doWork() != 0;
                if (chance.nextInt(100) < restPercent) {
                    engine.rest();
                }
                if (!worked) {
                    nodes.pause();
                }
            }
        };
    }

    /** Sender to the present use, and to earlier ones. */
    private static final class Sender {
        private final WeakNodes nodes;
        private final SplittableRandom chance;
        private final Window source;
        private final InjectionCounter read;
        private final Message message = new Message();
        private final Map<Long, Long> numbers = new HashMap<>();

        /** Share of the passes that a rest follows, or -1 if this thread runs no engine. */
        private final int restPercent;

        private long present = -1;
        private boolean isOver;

        Sender(WeakNodes nodes, SplittableRandom chance, int restPercent) {
            this.restPercent = restPercent;
            this.nodes = nodes;
            this.chance = chance;
            this.source = nodes.client(0).window(LENGTH);
            this.read = nodes.client(0).injectionCounter();
        }

        void run() {
            long last = -1;
            while (!isOver) {
                final long to = last >= 0 && chance.nextInt(3) == 0 ? last : present;
                if (to >= 0) {
                    send(to);
                    last = chance.nextInt(4) == 0 ? to : last;
                }
                idle();
            }
        }

        private void send(long to) {
            final Memory arena = nodes.node(0).arena();
            final long number = numbers.getOrDefault(to, 0L);
            arena.putLong(source.base(), to);
            arena.putLong(source.base() + Long.BYTES, number);
            read.expect(LENGTH);
            message.to(to, ID).payload(source, 0, LENGTH).completes(read);
            while (!isOver && nodes.context(0).send(message) < 0) {
                idle();
            }
            while (!isOver && read.valueAcquire() > 0 && read.errorAcquire() == 0) {
                idle();
            }
            if (read.errorAcquire() == 0) {
                numbers.put(to, number + 1);
            } else {
                read.reset();
            }
        }

        private void idle() {
            if (restPercent >= 0) {
                nodes.context(0).advance();
                if (chance.nextInt(100) < restPercent) {
                    nodes.dmaEngine(0).rest();
                }
            }
            nodes.pause();
        }
    }

    private static final class Owner {
        private final WeakNodes nodes;
        private final Sender sender;
        private long endpoint;
        private long received;

        Owner(WeakNodes nodes, Sender sender) {
            this.nodes = nodes;
            this.sender = sender;
        }

        void run() {
            for (int use = 0; use < USES; use++) {
                final Client client = ContextAccess.openClient(
                        nodes.client(1), new ContextAccess.ClientRequest("alpha", 1, 0, 0, 0, new int[0]));
                final Context context = client.context();
                endpoint = context.endpoint();
                nodes.require(Endpoint.use(endpoint) == use, "use # instead of #", Endpoint.use(endpoint), use);
                received = 0;
                context.handler(ID, this::onMessage);
                sender.present = endpoint;
                for (int check = 0; check < CHECKS; check++) {
                    if (context.advance(2) == 0) {
                        nodes.pause();
                    }
                }
                final Closing closing = client.close();
                while (!closing.isDone()) {
                    nodes.pause();
                }
            }
            sender.isOver = true;
        }

        private void onMessage(
                long origin, Object buffer, int metadata, int metadataLength, int payload, int payloadLength) {
            final NodeMemory node = nodes.node(1);
            final long at = node.laneOffset(0, Endpoint.task(origin)) + payload;
            final long to = node.peers().getLong(at);
            final long number = node.peers().getLong(at + Long.BYTES);
            nodes.require(to == endpoint, "a message for # reached #", to, endpoint);
            nodes.require(number == received, "message # where # is next", number, received);
            received++;
        }
    }
}
