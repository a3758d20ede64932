package org.segno.example;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.Geometry;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.context.Loan;
import org.segno.context.PreparedPut;
import org.segno.context.ProgressThread;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.memory.WindowSlots;
import org.segno.message.Completions;
import org.segno.message.Messenger;
import org.segno.multisend.Blocks;
import org.segno.multisend.JointPattern;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Multicast;
import org.segno.multisend.Pieces;
import org.segno.multisend.Request;
import org.segno.multisend.Requests;
import org.segno.multisend.Vectored;
import org.segno.node.ClientConfig;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeLimits;
import org.segno.node.RankMain;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.Status;
import org.segno.status.Timeout;

/**
 * Samples of the guide, compiled and executed: each method is one sample that every rank of a job runs. The guide
 * contains the lines between the markers.
 */
final class GuideSnippets {
    private final Node node;
    private final Client client;
    private final Context context;
    private final int left;
    private final int right;
    private final long deadlineNs;
    private final Path directory;

    GuideSnippets(Node node, Path directory) {
        this.node = node;
        this.directory = directory;
        // guide: names
        client = node.client();
        context = client.context();
        left = (node.rank() + node.size() - 1) % node.size();
        right = (node.rank() + 1) % node.size();
        deadlineNs = Deadline.in(30, SECONDS);
        // end
    }

    static void join(JobConfig job) {
        // guide: join
        NodeConfig config = NodeConfig.defaults().withWindowBytes(1 << 20);
        try (Node node = Node.join(job, config)) {
            node.client().context().barrier(Deadline.in(30, SECONDS));
        }
        // end
    }

    static void embed(Path directory) {
        // guide: embed
        JobConfig job = JobConfig.of("pricing", 0, 1).withDirectory(directory); // name, rank, size
        Map<String, String> environment = job.toEnvironment(); // or start another process with these variables
        // end
        check(environment.get("SEGNO_JOB").equals("pricing"));
        join(job);
    }

    static void severalRanks(Path directory) throws InterruptedException {
        // guide: ranks
        JobConfig first = JobConfig.of("pair", 0, 2).withDirectory(directory);
        List<Thread> threads = new ArrayList<>();
        for (Node node : Node.joinAll(List.of(first, first.withRank(1)), NodeConfig.defaults())) {
            threads.add(new Thread(() -> {
                try (node) {
                    node.client().context().barrier(Deadline.in(30, SECONDS));
                }
            }));
        }
        threads.forEach(Thread::start);
        // end
        for (Thread thread : threads) {
            thread.join();
        }
    }

    // guide: rankmain
    public static final class Greeting implements RankMain {
        @Override
        public void run(JobConfig job, String[] arguments) {
            try (Node node = Node.join(job, NodeConfig.defaults())) {
                node.client().context().barrier(Deadline.in(30, SECONDS));
            }
        }
    }
    // end

    void put() {
        // guide: put
        Window window = client.window(2048);
        ReceptionCounter inbox = client.receptionCounter(window, 1024, 1024, left); // only rank left may write here
        client.publish("inbox", inbox);
        Target rightInbox = context.attach(right, "inbox", deadlineNs);
        InjectionCounter sent = client.injectionCounter();

        inbox.expect(1024);
        sent.expect(1024);
        context.put(rightInbox, 0, window, 0, 1024, sent);

        context.await(sent, deadlineNs); // bytes 0 to 1023 may be overwritten
        context.await(inbox, deadlineNs); // bytes 1024 to 2047 have arrived
        // end
    }

    void shortPut() {
        // guide: short put
        Window word = client.window(128);
        ReceptionCounter mailbox = client.receptionCounter(8, left); // 8 bytes of its own, without a window
        AtomicBuffer letter = mailbox.buffer();
        client.publish("mailbox", mailbox);
        Target rightMailbox = context.attach(right, "mailbox", deadlineNs);

        mailbox.expect(8);
        context.put(rightMailbox, 0, word, 0, 8);
        context.await(mailbox, deadlineNs);
        long value = letter.getLong(0);
        // end
        word.putLong(64, value);
    }

    void retry() {
        Window window = client.window(256);
        ReceptionCounter inbox = client.receptionCounter(window, 128, 128);
        client.publish("retry", inbox);
        Target rightInbox = context.attach(right, "retry", deadlineNs);
        inbox.expect(128);
        // guide: retry
        while (context.put(rightInbox, 0, window, 0, 128) == Status.BACK_PRESSURED) {
            context.advance();
            if (Deadline.reached(deadlineNs)) {
                throw new DeadlineException("no room in the injection FIFO");
            }
        }
        // end
        context.await(inbox, deadlineNs);
    }

    void preparedPut() {
        // guide: prepared put
        Window pieces = client.window(1024);
        ReceptionCounter landing = client.receptionCounter(pieces, 0, 512);
        client.publish("pieces", landing);
        PreparedPut piece = context.preparePut(context.attach(right, "pieces", deadlineNs), pieces, null);

        landing.expect(8 * 64);
        for (int i = 0; i < 8; i++) {
            piece.put(64L * i, 512 + 64L * i, 64); // offset at the target, offset in the window, length
        }
        context.await(landing, deadlineNs);
        // end
    }

    void notifying() {
        // guide: notify
        Window window = client.window(256);
        ReceptionCounter inbox = client.receptionCounter(window, 128, 128);
        AtomicLong landed = new AtomicLong();
        context.notified(3, (origin, counter, offset, length) -> landed.addAndGet(length));
        client.publish("notified", inbox);
        Target rightInbox = context.attach(right, "notified", deadlineNs);

        context.putNotifying(rightInbox, 0, window, 0, 64, new Notification().at(3));
        context.await(() -> landed.get() == 64, deadlineNs);
        // end
    }

    void loans() {
        // guide: loan
        Window window = client.window(1 << 16);
        ReceptionCounter inbox = client.receptionCounter(window, 0, 1 << 16, left);
        client.publish("in place", inbox);
        Target rightInbox = context.attach(right, "in place", deadlineNs);
        Loan loan = context.loan(); // once

        inbox.expect(1 << 16);
        loan.claim(rightInbox, 0, 1 << 16);
        loan.buffer().putLong(0, 42); // in the neighbour's window
        loan.publish();
        context.await(inbox, deadlineNs);
        // end
        check(window.getLong(0) == 42);
    }

    void loanedRecords() {
        // guide: record loan
        AtomicLong received = new AtomicLong();
        context.handler(
                6,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                        received.addAndGet(buffer.getLong(payload)));
        context.barrier(deadlineNs);
        Loan loan = context.loan(client.window(1024), 0, 1024); // a range for it, if the engine has a thread of its own

        Message toRight = new Message().to(right, 6);
        context.await(() -> loan.claim(toRight, 256) == 0, deadlineNs);
        loan.buffer().putLong(0, 42);
        context.await(() -> loan.publish() >= 0, deadlineNs);
        context.await(() -> received.get() == 42, deadlineNs);
        // end
    }

    void slots() {
        // guide: slots
        Window window = client.window(64 * 1024);
        WindowSlots slots = WindowSlots.of(window, 4096);
        long slot = slots.claim(); // an offset in the window, or BACK_PRESSURED while all 16 are in use
        window.putLong(slot, 42);
        slots.release(slot); // once the message from there, or to there, is complete
        // end
        check(slots.free() == 16);
    }

    void get() {
        // guide: get
        Window window = client.window(128);
        ReceptionCounter shared =
                client.receptionCounter(window, 0, 64, ReceptionCounter.ANYBODY, Right.GET, Right.ATOMIC);
        client.publish("shared", shared);
        Target rightShared = context.attach(right, "shared", deadlineNs);
        InjectionCounter done = client.injectionCounter();

        done.expect(64);
        context.get(rightShared, 0, window, 64, 64, done);
        context.await(done, deadlineNs); // bytes 64 to 127 are a copy of the neighbour's bytes 0 to 63

        Rmw addOne = new Rmw().fetchAdd(1).result(window, 64).completes(done);
        done.expect(Rmw.LENGTH);
        context.rmw(rightShared, 0, addOne);
        context.await(done, deadlineNs); // the word at 64 is the old value
        // end
        check(window.buffer().getLong(64) == 0);
    }

    void vectored() {
        // guide: vectored
        Window matrix = client.window(8 * 8 * Long.BYTES); // 8 rows of 8 numbers
        Window column = client.window(8 * Long.BYTES);
        ReceptionCounter inbox = client.receptionCounter(column, 0, 8 * Long.BYTES);
        client.publish("column", inbox);
        Target rightColumn = context.attach(right, "column", deadlineNs);

        Blocks firstColumn = Blocks.strided(0, Long.BYTES, 8 * Long.BYTES, 8);
        Blocks contiguous = Blocks.contiguous(0, 8 * Long.BYTES);
        inbox.expect(8 * Long.BYTES);
        new Vectored(context).put(rightColumn, contiguous, matrix, firstColumn, null);
        context.await(inbox, deadlineNs);
        // end
    }

    void send() {
        // guide: send
        AtomicLong received = new AtomicLong();
        context.handler(
                7,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                        received.addAndGet(buffer.getLong(payload)));
        context.barrier(deadlineNs); // every rank has registered its handler

        UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
        number.putLong(0, 40);
        context.sendImmediate(right, 7, number, 0, Long.BYTES); // up to 32 bytes, copied by the call

        Window window = client.window(64);
        window.buffer().putLong(0, 2);
        context.send(new Message().to(right, 7).payload(window, 0, Long.BYTES)); // read later, by the engine

        context.await(() -> received.get() == 42, deadlineNs);
        // end
    }

    void requestAndResponse() {
        // guide: request
        int request = 1;
        int response = 2;
        AtomicLong answer = new AtomicLong();
        context.handler(
                response,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                        answer.set(buffer.getLong(payload)));
        context.replyingHandler(
                request,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) -> context.sendImmediate(
                        origin, response, buffer, payload, payloadLength)); // below zero: called again
        context.barrier(deadlineNs);

        UnsafeBuffer question = new UnsafeBuffer(new byte[Long.BYTES]);
        question.putLong(0, 42);
        context.sendImmediate(right, request, question, 0, Long.BYTES);
        context.await(() -> answer.get() == 42, deadlineNs);
        // end
    }

    void longMessage() {
        // guide: long
        Window window = client.window(2 << 20);
        AtomicLong ends = new AtomicLong();
        Messenger messenger = Messenger.open(client, context);
        messenger.handler(9, message -> message.into(window, 1 << 20, failure -> ends.incrementAndGet()));
        context.barrier(deadlineNs);

        Message message = new Message().to(right, 9).payload(window, 0, 1 << 20);
        messenger.send(message, null, failure -> ends.incrementAndGet()); // local and remote completion
        context.await(() -> ends.get() == 2, deadlineNs);
        // end
    }

    void receivedMessage() {
        Window window = client.window(2 << 20);
        Messenger messenger = Messenger.open(client, context);
        // guide: received
        AtomicLong sum = new AtomicLong();
        int[] room = {100};
        messenger.handler(10, message -> {
            if (message.isLong()) {
                return message.into(window, 0, failure -> sum.addAndGet(window.getLong(0)));
            }
            if (room[0] == 0) {
                return Status.AGAIN; // the same message comes again; only the lane of its sender waits
            }
            room[0]--;
            sum.addAndGet(message.payloadLong(0));
            return 0;
        });
        // end
        context.barrier(deadlineNs);
        window.putLong(1 << 20, 20);
        messenger.send(new Message().to(right, 10).payload(window, 1 << 20, 8));
        messenger.send(new Message().to(right, 10).payload(window, 1 << 20, 1 << 20));
        context.await(() -> sum.get() == 40, deadlineNs);
        context.barrier(deadlineNs);
    }

    void deferredMessage() {
        // guide: defer
        Window window = client.window(2 << 20);
        AtomicLong landed = new AtomicLong();
        Queue<Long> waiting = new ArrayDeque<>();
        Messenger messenger = Messenger.open(client, context);
        messenger.handler(13, message -> {
            if (!message.isLong()) {
                return 0; // its payload is here: a short message is read or copied at once
            }
            long token = message.defer(); // below zero: too many are deferred, received again
            if (token > 0) {
                waiting.add(token); // and what is needed of the metadata, which are gone when the handler returns
            }
            return token;
        });
        context.barrier(deadlineNs);

        messenger.send(new Message().to(right, 13).payload(window, 0, 1 << 20));
        context.await(() -> !waiting.isEmpty(), deadlineNs); // later messages of the sender are handled meanwhile
        messenger.accept(waiting.remove(), window, 1 << 20, failure -> landed.incrementAndGet()); // or decline(token)
        context.await(() -> landed.get() == 1, deadlineNs);
        // end
        context.barrier(deadlineNs); // the sender's memory remains until its message has landed
    }

    void longReply() {
        // guide: reply
        Window window = client.window(2 << 20);
        Message reply = new Message();
        AtomicLong sent = new AtomicLong();
        AtomicLong replied = new AtomicLong();
        Messenger messenger = Messenger.open(client, context);
        messenger.handler(11, request -> {
            reply.to(request.origin(), 12).payload(window, 0, request.payloadLong(0));
            return messenger.send(reply, failure -> sent.incrementAndGet(), null); // below zero: called again
        });
        messenger.handler(12, message -> message.into(window, 1 << 20, failure -> replied.incrementAndGet()));
        context.barrier(deadlineNs);

        window.putLong(0, 1 << 20); // the requested length
        messenger.send(new Message().to(right, 11).payload(window, 0, 8));
        context.await(() -> sent.get() == 1 && replied.get() == 1, deadlineNs);
        // end
    }

    void record() {
        // guide: record
        Window window = client.window(16);
        ReceptionCounter inbox = client.receptionCounter(window, 8, 8, left);
        client.publish("recorded", inbox);
        Target rightInbox = context.attach(right, "recorded", deadlineNs);

        Pattern shift = context.record(
                1,
                Rounds.ORDERED_BY_CALLER,
                () -> { // sent at once: round 1
                    context.expect(inbox, 8);
                    context.put(rightInbox, 0, window, 0, 8);
                });
        context.await(shift, 1, deadlineNs);
        for (long round = 2; round <= 10; round++) {
            context.barrier(deadlineNs);
            context.replay(shift);
            context.await(shift, round, deadlineNs);
        }
        // end
    }

    void alternate() {
        // guide: alternate
        Window window = client.window(256);
        CounterPair halo = client.counterPair(window, 128, 192, 16); // even rounds land at 128, odd ones at 192
        client.publish("halo", halo);
        Target leftHalo = context.attach(left, "halo", deadlineNs);
        Target rightHalo = context.attach(right, "halo", deadlineNs);

        Pattern exchange = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(halo, 16);
            context.put(rightHalo, 0, window, 0, 8);
            context.put(leftHalo, 8, window, 8, 8);
        });
        for (long round = 1; round <= 100; round++) {
            window.buffer().putLong(0, round);
            window.buffer().putLong(8, -round);
            context.replay(exchange);
            context.await(exchange, round, deadlineNs);
            int slots = (int) halo.offset(round);
            check(window.buffer().getLong(slots) == round); // from the left
            check(window.buffer().getLong(slots + 8) == -round); // from the right
        }
        // end
    }

    void credits() {
        // guide: credits
        Window window = client.window(256);
        CounterPair inbox = client.counterPair(window, 128, 192, 8, left);
        CounterPair credits = client.counterPair(window, 0, 0, 0, right); // counts, and covers no bytes
        client.publish("flow", inbox);
        client.publish("credits", credits);
        Target rightInbox = context.attach(right, "flow", deadlineNs);
        Target leftCredits = context.attach(left, "credits", deadlineNs);

        Pattern receive = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(inbox, 8);
            context.count(leftCredits, -1); // this round's slot is free
        });
        Pattern send = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(credits, 1);
            context.waitUntil(credits, 0); // the engine holds the round here
            context.put(rightInbox, 0, window, 0, 8);
        });
        for (long round = 1; round <= 100; round++) {
            window.buffer().putLong(0, round);
            context.replay(receive);
            context.replay(send);
            context.await(receive, round, deadlineNs);
            check(window.buffer().getLong((int) inbox.offset(round)) == round);
            context.await(send, round, deadlineNs);
        }
        // end
    }

    void forward() {
        // guide: forward
        Window window = client.window(256);
        CounterPair inbox = client.counterPair(window, 128, 192, 8, left);
        client.publish("ring", inbox);
        Target rightRing = context.attach(right, "ring", deadlineNs);

        Pattern ring = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(inbox, 8);
            if (node.rank() == 0) {
                context.put(rightRing, 0, window, 0, 8);
            } else {
                context.waitUntil(inbox, 0); // the engine waits for the data of this round,
                context.put(rightRing, 0, inbox, 0, 8); // and forwards them
            }
        });
        for (long round = 1; round <= 100; round++) {
            window.buffer().putLong(0, round);
            context.replay(ring);
            context.await(ring, round, deadlineNs);
            check(window.buffer().getLong((int) inbox.offset(round)) == round); // rank 0 has its value back
        }
        // end
    }

    void multicast() {
        // guide: multicast
        AtomicLong received = new AtomicLong();
        context.handler(
                5,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                        received.addAndGet(buffer.getLong(payload)));
        long[] everybody = new long[node.size()];
        for (int rank = 0; rank < node.size(); rank++) {
            everybody[rank] = client.endpoint(rank, 0, deadlineNs);
        }
        context.barrier(deadlineNs);

        Window window = client.window(64);
        Multicast multicast = new Multicast(context, 5, window, everybody).payload(window, 0, 8);
        for (long round = 1; round <= 10; round++) {
            window.buffer().putLong(0, 1);
            multicast.start(); // the first start records, all others replay
            multicast.await(deadlineNs);
        }
        context.await(() -> received.get() == 10L * node.size(), deadlineNs);
        // end
        multicast.close();
    }

    void manyToMany() {
        // guide: exchange
        Window window = client.window(1024); // outgoing pieces at 0, even rounds land at 256, odd ones at 512
        Pieces sent = new Pieces();
        Pieces received = new Pieces();
        for (int rank = 0; rank < node.size(); rank++) {
            sent.add(rank, 8L * rank, 8);
            received.add(rank, 8L * rank, 8);
        }
        ManyToMany.Places places = new ManyToMany.Places(window, 256, 512, 8L * node.size());
        ManyToMany.Sides sides = new ManyToMany.Sides(window, sent, places, received);
        try (ManyToMany exchange = ManyToMany.open(client, context, 1, sides, deadlineNs)) {
            for (long round = 1; round <= 10; round++) {
                exchange.start(); // the first start records, all others replay
                exchange.await(deadlineNs);
                int firstPiece = (int) exchange.landingOffset(round);
                check(window.buffer().getLong(firstPiece) == 0);
            }
        }
        // end
    }

    void recordFromBeginToEnd() {
        // guide: begin
        Window window = client.window(16);
        ReceptionCounter inbox = client.receptionCounter(window, 8, 8, left);
        client.publish("begun", inbox);
        Target rightInbox = context.attach(right, "begun", deadlineNs);

        context.recordBegin(4, Rounds.ORDERED_BY_CALLER); // from here on, operations are recorded and sent
        context.expect(inbox, 8);
        context.put(rightInbox, 0, window, 0, 8);
        Pattern shift = context.recordEnd(); // or recordAbandon
        context.await(shift, 1, deadlineNs);
        // end
    }

    void edges() {
        // guide: edges
        int rank = node.rank();
        Window window = client.window(256);
        CounterPair fromLeft = client.counterPair(window, 64, 72, 8);
        client.publish("from left", fromLeft);
        boolean isFirst = rank == 0;
        boolean isLast = rank == node.size() - 1;
        Target rightEdge = isLast ? Target.nowhere() : context.attach(rank + 1, "from left", deadlineNs);

        Pattern shift = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(fromLeft, isFirst ? 0 : 8); // nothing ever comes from nowhere
            context.put(rightEdge, 0, window, 0, 8); // does nothing at the last rank
        });
        for (long round = 1; round <= 10; round++) {
            context.replay(shift);
            context.await(shift, round, deadlineNs);
            context.barrier(deadlineNs);
        }
        // end
    }

    void combine() {
        // guide: combine
        Window window = client.window(512);
        CounterPair values = client.counterPair(window, 128, 192, 16);
        CounterPair sum = client.counterPair(window, 256, 320, 8); // no peer writes here
        client.publish("values", values);
        Target leftValues = context.attach(left, "values", deadlineNs);
        Target rightValues = context.attach(right, "values", deadlineNs);
        Combine add = Combine.of(ElementType.LONG, Operator.SUM);
        Combine addOwn = Combine.of(ElementType.LONG, Operator.SUM).with(window, 0);

        Pattern neighbours = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(values, 16);
            context.put(rightValues, 0, window, 0, 8);
            context.put(leftValues, 8, window, 0, 8);
            context.waitUntil(values, 0);
            context.combine(values, 0, sum, 0, 8, addOwn); // sum = value of the left neighbour + own value
            context.combine(values, 8, sum, 0, 8, add); // sum = sum + value of the right neighbour
        });
        for (long round = 1; round <= 100; round++) {
            window.buffer().putLong(0, round + node.rank());
            context.replay(neighbours);
            context.await(neighbours, round, deadlineNs);
            check(window.buffer().getLong((int) sum.offset(round)) == 3 * round + left + node.rank() + right);
        }
        // end
    }

    void queue() {
        // guide: queue
        Window window = client.window(512);
        CounterPair halo = client.counterPair(window, 128, 192, 16);
        CounterPair result = client.counterPair(window, 256, 320, 16); // no peer writes here
        client.publish("queued", halo);
        Target leftHalo = context.attach(left, "queued", deadlineNs);
        Target rightHalo = context.attach(right, "queued", deadlineNs);

        Pattern exchange = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(halo, 16);
            context.put(rightHalo, 0, window, 0, 8);
            context.put(leftHalo, 8, window, 0, 8);
            context.waitUntil(halo, 0);
            context.copy(halo, 0, result, 0, 16); // the section reads what was received
        });
        window.buffer().putLong(0, node.rank());
        context.queue(exchange); // round 1 starts
        for (long round = 1; round <= 100; round++) {
            context.queue(exchange); // the next round begins when this one is executed
            context.await(exchange, round, deadlineNs);
            int slots = (int) result.offset(round);
            check(window.buffer().getLong(slots) == left);
            check(window.buffer().getLong(slots + 8) == right);
        }
        context.await(exchange, 101, deadlineNs);
        // end
    }

    void collectives() {
        // guide: collectives
        Reduction sum = Reduction.of(ElementType.DOUBLE, Operator.SUM);
        Geometry world = Geometry.world(client, context, "all", deadlineNs);
        Collective total = world.prepare(Call.allreduce(8, sum), deadlineNs); // has memory of its own
        AtomicBuffer own = total.input();
        AtomicBuffer all = total.output();
        for (int round = 1; round <= 100; round++) {
            own.putDouble(0, round * node.rank());
            total.start(); // one entry in a ring; the engine does the rest
            total.await(deadlineNs);
            check(all.getDouble(0) == round * 3);
        }

        Window window = client.window(256);
        Call fromFirst = Call.broadcast(0, 16).in(window, 0);
        Call transpose = Call.allToAll(8).from(window, 16).into(window, 128);
        window.putLong(0, node.rank() == 0 ? 42 : 0);
        for (int member = 0; member < world.size(); member++) {
            window.putLong(16 + 8 * member, 10 * node.rank() + member);
        }
        world.run(fromFirst, deadlineNs); // records; later calls with equal arguments replay
        world.run(transpose, deadlineNs);
        check(window.getLong(0) == 42);
        check(window.getLong(128 + 8 * right) == 10 * right + node.rank());

        Geometry pair = world.split(node.rank() == 2 ? -1 : 0, node.rank(), deadlineNs); // ranks 0 and 1
        if (pair != null) {
            UnsafeBuffer heap = new UnsafeBuffer(new byte[16]);
            heap.putDouble(0, 1);
            pair.run(Call.scan(8, sum), heap, 0, heap, 8, deadlineNs); // copied in and out
            check(heap.getDouble(8) == 1 + pair.self());
            pair.close();
        }
        world.barrier(deadlineNs);
        // end
    }

    void endpoints() {
        CompletableFuture<Void> second =
                CompletableFuture.runAsync(() -> ofThreads(client.context(1)), task -> new Thread(task).start());
        ofThreads(context);
        second.join();
    }

    private void ofThreads(Context own) {
        // guide: endpoints
        Reduction most = Reduction.of(ElementType.LONG, Operator.MAXIMUM);
        Geometry threads = Geometry.endpoints(client, own, 2, "threads", deadlineNs); // NodeConfig.withContexts(2)
        UnsafeBuffer value = new UnsafeBuffer(new byte[8]);
        value.putLong(0, 10 * node.rank() + Endpoint.offset(own.endpoint()));
        threads.run(Call.allreduce(8, most), value, 0, value, 0, deadlineNs); // of six members in three ranks
        check(value.getLong(0) == 21);
        threads.barrier(deadlineNs);
        threads.close();
        // end
    }

    void requests() {
        // guide: requests
        Window window = client.window(64);
        Message toRight = new Message().to(right, 6).payload(window, 0, 8);
        try (Requests requests = new Requests(context)) {
            Request send = requests.init(() -> context.send(toRight)); // sends nothing yet
            Request receive = requests.receive();
            context.handler(
                    6, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> receive.received());
            context.barrier(deadlineNs);
            for (long round = 1; round <= 10; round++) {
                requests.startAll(); // one run, whatever the number of requests
                while (!send.test() || !receive.test()) {
                    context.advance();
                }
            }
        }
        // end
    }

    void jointPattern() {
        // guide: joint
        Context second = client.context(1); // NodeConfig.withContexts(2)
        Window window = client.window(256);
        CounterPair inbox = client.counterPair(window, 128, 192, 16);
        client.publish("joint", inbox);
        Target rightInbox = context.attach(right, "joint", deadlineNs);
        Target leftInbox = context.attach(left, "joint", deadlineNs);

        JointPattern both = JointPattern.record(
                2,
                Rounds.ALTERNATE,
                () -> {
                    context.expect(inbox, 16);
                    context.put(rightInbox, 0, window, 0, 8);
                    second.put(leftInbox, 8, window, 8, 8); // carried out by the engine of the second context
                },
                context,
                second);
        both.await(1, deadlineNs);
        both.await(both.replay(), deadlineNs);
        // end
    }

    void savedPatterns() {
        // guide: saved
        Window window = client.window(256);
        CounterPair inbox = client.counterPair(window, 128, 192, 8);
        client.publish("saved", inbox);
        Target rightInbox = context.attach(right, "saved", deadlineNs);
        Path file = directory.resolve("patterns-" + node.rank());
        if (Files.exists(file)) {
            SavedPatterns.load(client, file, deadlineNs);
        }
        Pattern shift = context.prepare(
                Rounds.ALTERNATE,
                () -> { // the loaded pattern, if it is the same
                    context.expect(inbox, 8);
                    context.put(rightInbox, 0, window, 0, 8);
                });
        SavedPatterns.save(client, file);
        // end
        context.replay(shift);
        context.await(shift, 1, deadlineNs);
    }

    void fence() {
        Window window = client.window(256);
        ReceptionCounter inbox = client.receptionCounter(window, 128, 128);
        client.publish("fenced", inbox);
        Target rightInbox = context.attach(right, "fenced", deadlineNs);
        // guide: fence
        long position = context.put(rightInbox, 0, window, 0, 128);
        context.fence(deadlineNs); // whatever this context has injected is carried out or refused
        check(context.isCarriedOut(position)); // the same for one descriptor, without waiting

        context.barrier(deadlineNs); // every rank has called it: what they sent here before is visible
        // end
    }

    void injectionFifos() {
        Window window = client.window(256);
        ReceptionCounter inbox = client.receptionCounter(window, 128, 128);
        client.publish("bulk", inbox);
        Target rightInbox = context.attach(right, "bulk", deadlineNs);
        inbox.expect(128);
        // guide: fifo
        InjectionFifo bulk = context.injectionFifo(); // an order, a priority and a quantum of its own
        bulk.put(rightInbox, 0, window, 0, 128);
        // end
        context.await(inbox, deadlineNs);
        AtomicLong refills = new AtomicLong();
        // guide: free
        bulk.freeThreshold(64, refills::incrementAndGet); // runs when 64 slots are free again after there were fewer
        context.persistentFifo().priority(2); // replays are visited three times in a pass of the engine
        context.persistentFifo().quantum(16 * 1024, 32); // bytes and descriptors of a visit
        // end
    }

    void ranges() {
        Window window = client.window(256);
        // guide: sources
        ReceptionCounter inbox = client.receptionCounter(window, 0, 64, new int[] {left, right});
        inbox.forbidUnderflow(); // bytes that nobody expected are an error
        // end
        client.publish("range", inbox);
        inbox.expect(0);
        context.await(inbox, deadlineNs);
        context.barrier(deadlineNs);
        // guide: enable
        inbox.disable();
        while (client.enable(inbox, window, 64, 128, left) == Status.BUSY) {
            context.advance(); // until nothing that was admitted before can still land
        }
        inbox.expect(8);
        context.barrier(deadlineNs);
        Target rightInbox = context.attach(right, "range", deadlineNs); // the same name, another use of the id
        // end
        InjectionCounter sent = client.injectionCounter();
        // guide: sent
        AtomicLong reusable = new AtomicLong();
        context.onHit(sent, counter -> reusable.incrementAndGet()); // in advance: the source may be overwritten
        sent.expect(8);
        context.put(rightInbox, 0, window, 0, 8, sent);
        context.await(() -> reusable.get() == 1, deadlineNs);
        // end
        context.await(inbox, deadlineNs);
    }

    void closing() {
        // guide: close
        Window window = client.window(256);
        ReceptionCounter inbox = client.receptionCounter(window, 128, 128);
        client.close(inbox); // counters first, then the window below them
        Closing closing = client.close(window); // returns at once
        client.await(closing, context, deadlineNs); // its id and its memory are free
        // end
    }

    void threads() throws InterruptedException {
        AtomicLong received = new AtomicLong();
        context.handler(
                8,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                        received.addAndGet(buffer.getLong(payload)));
        context.barrier(deadlineNs);
        UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
        number.putLong(0, 21);
        Thread other = new Thread(() -> {
            // guide: post
            context.post(
                    () -> // from any thread; runs in the thread that advances the context
                    context.sendImmediate(right, 8, number, 0, Long.BYTES) < 0 ? Status.AGAIN : 0);
            // end
        });
        other.start();
        other.join();
        context.await(() -> received.get() >= 21, deadlineNs); // 42 if the neighbour is fast
        // guide: progress
        try (ProgressThread progress = context.progress()) { // advances the context while nobody holds it
            context.lock();
            try {
                context.sendImmediate(right, 8, number, 0, Long.BYTES);
            } finally {
                context.unlock();
            }
            while (received.get() < 42 && progress.isRunning()) {
                Thread.onSpinWait();
            }
        }
        // end
    }

    void queries() {
        // guide: queries
        int[] mapped = node.mappedRanks(); // those that no link reaches, in ascending order, with this rank
        NodeLimits limits = node.limits();
        int longest = limits.recordBytes(); // metadata and payload of a message in one record
        boolean progresses = node.threading() != NodeConfig.Threading.INVOKER; // without advance
        // end
        check(mapped.length == node.localSize() && longest > limits.immediateBytes() && !progresses);
    }

    void steps() {
        ReceptionCounter inbox = client.receptionCounter(client.window(128), 0, 128);
        // guide: steps
        Timeout step = Timeout.of(30, SECONDS);
        for (int round = 0; round < 1000; round++) {
            context.await(inbox, step.deadlineNs()); // 30 s for each wait, not for all of them
        }
        // end
    }

    void offsets() {
        // guide: offsets
        Window window = client.window(1 << 20); // 3L << 30, if NodeConfig.withWindowBytes reserves as much
        long offset = window.length() - 8;
        window.putDouble(offset, 0.5);
        window.copyTo(offset, window, 0, 8); // by this thread
        // end
        check(window.getDouble(0) == 0.5);
    }

    void completions() {
        Window window = client.window(2048);
        client.publish("completed", client.receptionCounter(window, 1024, 1024, left));
        Target rightInbox = context.attach(right, "completed", deadlineNs);
        AtomicLong ended = new AtomicLong();
        // guide: completions
        Messenger messenger = Messenger.open(client, context);
        Completions ends = new Completions()
                .local(failure -> ended.incrementAndGet()) // bytes 0 to 63 may be overwritten
                .remote(failure -> ended.incrementAndGet()); // they have landed; or failure is the reason
        messenger.put(rightInbox, 0, window, 0, 64, ends); // get, rmw and multicast in the same way
        context.await(() -> ended.get() == 2, deadlineNs);
        // end
    }

    void createContexts() {
        // guide: create
        Context created = client.createContext(); // within NodeConfig.withContexts, by any thread
        created.barrier(deadlineNs); // with the context of the same number at every rank
        // end
    }

    void severalContexts() {
        AtomicLong ran = new AtomicLong();
        // guide: several
        Context[] both = {context, client.context(1)}; // NodeConfig.withContexts(2); the array is kept
        both[1].post(ran::incrementAndGet);
        int done = Context.advanceAll(both); // one pass of each
        // end
        check(ran.get() == 1 && done >= 1);
    }

    void deaths() {
        // guide: deaths
        List<Integer> lost = new ArrayList<>();
        context.onDeath(lost::add); // within advance, after the last message of that rank
        // end
        context.barrier(deadlineNs);
        check(lost.isEmpty());
    }

    void clients() {
        // guide: client
        Client library = node.openClient(ClientConfig.named("library").withWindowBytes(4096));
        Context own = library.context();
        AtomicLong received = new AtomicLong();
        own.handler(
                1,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                        received.addAndGet(payloadLength));
        long neighbour = library.endpoint(right, 0, deadlineNs); // the first context of the same client there
        own.barrier(deadlineNs);
        own.sendImmediate(neighbour, 1, new UnsafeBuffer(new byte[8]), 0, 8);
        own.await(() -> received.get() == 8, deadlineNs);
        // end
        own.barrier(deadlineNs);
    }

    void tasks() {
        // guide: tasks
        if (node.rank() != 1) {
            Client pair = node.openClient(ClientConfig.named("pair").withTasks(0, 2));
            pair.context().barrier(deadlineNs); // does not wait for rank 1, which has no such client
        }
        // end
    }

    void closedClient() {
        // guide: closed client
        Client phase = node.openClient(ClientConfig.named("phase").withWindowBytes(4096));
        long there = phase.endpoint(right, 0, deadlineNs);
        phase.context().barrier(deadlineNs);
        Closing phaseEnd = phase.close(); // returns at once; its calls are refused from now on
        node.client().await(phaseEnd, context, deadlineNs); // its contexts, counters and memory are free
        // end
        context.fence(there, deadlineNs);
    }

    void byHand() {
        // guide: hand
        Window window = client.window(16);
        ReceptionCounter inbox = client.receptionCounter(window, 8, 8, left);
        client.publish("by hand", inbox);
        Target target = context.attach(right, "by hand", deadlineNs);

        NodeMemory memory = node.memory();
        int lastButOne = memory.layout().dimensions().fifos() - 2; // the context opens others
        InjectionFifoProducer fifo = InjectionFifoProducer.open(memory, 0, lastButOne);
        inbox.expect(8);

        long slot = fifo.claim(); // below zero: the FIFO is full
        Memory slots = memory.owner();
        slots.putLong(slot, Descriptor.head(Operation.PUT, 0, target.rank()));
        slots.putLong(
                slot + Descriptor.TARGET_OFFSET, Descriptor.counterTarget(target.counter(), target.incarnation()));
        slots.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, 0);
        slots.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(window.id(), Descriptor.NO_COUNTER));
        slots.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, 0);
        slots.putLong(slot + Descriptor.LENGTH_OFFSET, 8);
        long position = fifo.publish(); // the tail store publishes the slot

        while (fifo.metadata().headAcquire() <= position || inbox.valueAcquire() > 0) {
            context.advance();
        }
        // end
    }

    void errors() {
        ReceptionCounter inbox = client.receptionCounter(client.window(128), 0, 128);
        inbox.expect(1);
        // guide: errors
        try {
            context.await(inbox, Deadline.in(10, MILLISECONDS));
        } catch (PeerFailedException e) {
            log("rank " + e.rank() + " has died", e);
        } catch (RefusedException e) {
            log("rank " + e.rank() + " has refused a message", e);
        } catch (ClosedException e) {
            log("the node was closed, the senders have left, or the job has ended", e);
        } catch (DeadlineException e) {
            log("not yet: nothing is lost, the wait may be repeated", e);
        }
        // end
    }

    private static void log(String text, Exception reason) {
        check(!text.isEmpty() && reason instanceof DeadlineException);
    }

    private static void check(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("the sample has read a wrong value");
        }
    }
}
