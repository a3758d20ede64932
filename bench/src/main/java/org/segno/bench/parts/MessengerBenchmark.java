package org.segno.bench.parts;

import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.bench.jmh.EngineMode;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.message.Completion;
import org.segno.message.Messenger;
import org.segno.message.ReceivedMessage;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;

/**
 * Benchmarks of a message through a messenger, from the call until its handler and both completions at its sender have
 * run.
 */
@State(Scope.Thread)
public class MessengerBenchmark {
    private static final int DISPATCH_ID = 1;
    private static final int LONGEST = 8192;

    /** Completions of a message at its sender and at its receiver. */
    private static final int ENDS = 3;

    private final List<Node> nodes = EngineMode.reported(Node.joinAll(
            List.of(job(0), job(1)),
            NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(3 * LONGEST)));
    private final Context first = nodes.get(0).client().context();
    private final Context second = nodes.get(1).client().context();
    private final Messenger messenger = Messenger.open(nodes.get(0).client(), first);
    private final Window source = nodes.get(0).client().window(LONGEST);
    private final Message immediate = message(8);
    private final Message eager = message(512);
    private final Message rendezvous = message(LONGEST);
    private final Completion ended = failure -> ended();
    private long ends;

    private static JobConfig job(int rank) {
        return JobConfig.of(
                String.format(
                        Locale.ROOT, "parts-%016x", ProcessHandle.current().pid()),
                rank,
                2);
    }

    private Message message(int length) {
        return new Message().to(1, DISPATCH_ID).payload(source, 0, length);
    }

    private void ended() {
        ends++;
    }

    /** Opens the other messenger. */
    @Setup
    public void open() {
        final Window place = nodes.get(1).client().window(LONGEST);
        Messenger.open(nodes.get(1).client(), second).handler(DISPATCH_ID, received -> receive(received, place));
    }

    /** Leaves the job. */
    @TearDown
    public void close() {
        nodes.forEach(Node::close);
    }

    /** Measures 8 bytes, in the descriptor. */
    @Benchmark
    public long immediate() {
        return send(immediate);
    }

    /** Measures 512 bytes, through the lane. */
    @Benchmark
    public long eager() {
        return send(eager);
    }

    /** Measures {@value #LONGEST} bytes, announced and fetched. */
    @Benchmark
    public long rendezvous() {
        return send(rendezvous);
    }

    private long send(Message message) {
        final long last = ends + ENDS;
        TwoNodes.requireInjected(messenger.send(message, ended, ended));
        while (ends != last) {
            first.advance();
            second.advance();
        }
        return ends;
    }

    /** Handles a short message in place, and lets every long one land in the same place. */
    private long receive(ReceivedMessage received, Window place) {
        if (received.isLong()) {
            return received.into(place, 0, ended);
        }
        ended();
        return 0;
    }
}
