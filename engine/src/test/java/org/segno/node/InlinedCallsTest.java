package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * What the JIT says about the calls of the hot path. It inlines no method whose signature names a class that is not
 * loaded, however short it is. Such a class may be one that only a rare feature uses, a trace for instance.
 */
class InlinedCallsTest {
    private static final int CALLS = 60_000;

    /** What the compiler prints beside such a call. */
    private static final String REASON = "unloaded signature classes";

    @TempDir
    Path parent;

    @Test
    @Timeout(120)
    void shouldInlineNoCallLessBecauseAClassIsNotLoaded() throws Exception {
        final Process process = new ProcessBuilder(Stream.concat(
                                Stream.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString()),
                                List.of(
                                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                                        "-XX:+UnlockDiagnosticVMOptions",
                                        "-XX:+PrintInlining",
                                        "-XX:-TieredCompilation",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        Program.class.getName(),
                                        parent.toString())
                                        .stream())
                        .toList())
                .redirectErrorStream(true)
                .start();
        final String printed;
        try {
            printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(printed).isZero();
        } finally {
            process.destroyForcibly().waitFor();
        }

        assertThat(printed).contains("org.segno.engine.dma.PutUnit::run", "org.segno.engine.fifo.FifoService::trace");
        assertThat(printed.lines().filter(line -> line.contains("org.segno") && line.contains(REASON)))
                .isEmpty();
    }

    /** Operations of all kinds between two nodes, on one thread, until the JIT has compiled them. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            final Path parent = Path.of(arguments[0]);
            try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
                run(job);
            }
        }

        private static void run(InProcessJob job) {
            final Client client = job.node(0).client();
            final Context sender = job.context(0);
            final Context receiver = job.context(1);
            final Window source = client.window(1024);
            final Window target = job.node(1).client().window(1024);
            final InjectionCounter injected = client.injectionCounter();
            final ReceptionCounter counter =
                    job.node(1).client().receptionCounter(target, 0, 512, 0, Right.PUT, Right.GET, Right.ATOMIC);
            final CounterPair pair = client.counterPair(source, 256, 512, 64);
            job.node(1).client().publish("in", counter);
            client.publish("pair", pair);
            final Target in = sender.attach(1, "in", InProcessJob.deadline());
            final Target own = sender.attach(0, "pair", InProcessJob.deadline());
            receiver.handler(3, (from, buffer, m, ml, p, pl) -> {});
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
            final Message message = new Message().to(1, 3).metadata(bytes, 0, 8).payload(source, 0, 300);
            final Rmw add = new Rmw().completes(injected).result(source, 768);
            final Combine sum = Combine.of(ElementType.LONG, Operator.SUM).completes(injected);
            final Pattern pattern = sender.prepare(Rounds.ALTERNATE, () -> {
                sender.expect(pair, 8);
                sender.put(own, 0, source, 0, 8);
                sender.waitUntil(pair, 0);
                sender.combine(pair, 0, source, 64, 8, Combine.of(ElementType.LONG, Operator.SUM));
            });
            final long deadlineNs = InProcessJob.deadline();
            for (int call = 0; call < CALLS; call++) {
                injected.expect(8 + 64 + Rmw.LENGTH + 80);
                counter.expect(8 + 1);
                sender.put(in, 0, source, 0, 8, injected);
                sender.get(in, 0, source, 0, 64, injected);
                sender.rmw(in, 0, add.fetchAdd(1));
                sender.combine(source, 0, source, 128, 80, sum);
                sender.count(in, -1);
                sender.copy(source, 0, source, 512, 200);
                sender.sendImmediate(1, 3, bytes, 0, 8);
                sender.send(message);
                sender.await(injected, deadlineNs);
                receiver.await(counter, deadlineNs);
                sender.await(pattern, sender.replay(pattern), deadlineNs);
                receiver.advance();
            }
        }
    }
}
