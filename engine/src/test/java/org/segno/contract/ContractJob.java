package org.segno.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.packet.Frame;
import org.segno.geometry.Endpoint;
import org.segno.link.Link;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/**
 * Job of four ranks for one run of a behaviour, driven by the thread of the test alone. Two of its ranks are the sender
 * and the receiver of the behaviour, with a window each; a counter of the receiver covers all of its window.
 */
final class ContractJob implements AutoCloseable {
    static final int RANKS = 4;

    /** Length of the windows. */
    static final int BYTES = 1 << 14;

    private static final byte[] CONTENT = content();

    /** A pass polls only some of many idle FIFOs. */
    private static final int IDLE_TURNS = 40;

    /** More turns than any behaviour needs. */
    private static final int MOST_TURNS = 200_000;

    /** Waits of {@link #pumping}. */
    private static final int MOST_WAITS = 5_000;

    final EngineFixture engines;
    final int from;
    final int to;
    final Context sender;
    final Context receiver;
    final Window source;
    final Window target;
    final ReceptionCounter counter;
    final Target in;
    final InjectionCounter done;

    private final Path directory;
    private final ContractLinks links;
    private final Reach reach;

    private ContractJob(Path directory, Pairing pairing, ContractLinks links) {
        this.directory = directory;
        this.links = links;
        this.reach = pairing.reach();
        this.engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(RANKS)
                        .contexts(3)
                        .engines(pairing.engines())
                        .fifos(4)
                        .fifoSlots(64)
                        .patternSlots(1024)
                        .patterns(128)
                        .runSlots(64)
                        .counters(64)
                        .laneBytes(1 << 13)
                        .windowBytes(12 * BYTES)
                        .dimensions(),
                pairing.reach(),
                links);
        this.from = pairing.from();
        this.to = pairing.to();
        this.sender = engines.context(from);
        this.receiver = engines.context(to);
        this.source = engines.client(from).window(BYTES);
        this.target = engines.client(to).window(BYTES);
        this.counter = engines.client(to)
                .receptionCounter(target, 0, BYTES, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        this.in = target(to, counter);
        this.done = engines.client(from).injectionCounter();
        source.buffer().putBytes(0, CONTENT);
    }

    /** Opens a job, with links of the transport that the property names. */
    static ContractJob open(Pairing pairing) {
        return open(pairing, System.getProperty(ContractLinks.PROPERTY, ""));
    }

    /** Opens a job with links of a transport, or of memory if its name is empty. */
    static ContractJob open(Pairing pairing, String transport) {
        final ContractLinks.Source links = ContractLinks.source(transport);
        try {
            final Path directory = Files.createTempDirectory("contract");
            return new ContractJob(directory, pairing, links.in(directory));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] content() {
        final byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            bytes[i] = (byte) (i * 7 + (i >> 8) * 31 + 1);
        }
        return bytes;
    }

    Context context(int rank) {
        return engines.context(rank);
    }

    Client client(int rank) {
        return engines.client(rank);
    }

    Client sending() {
        return engines.client(from);
    }

    Client receiving() {
        return engines.client(to);
    }

    /** Returns a further counter over the receiver's window that admits PUTs alone. */
    ReceptionCounter inbox(int offset, int length) {
        return receiving().receptionCounter(target, offset, length);
    }

    /** Returns the target of a counter, found without its name. */
    static Target target(int rank, ReceptionCounter counter) {
        return new Target(rank, counter.id(), counter.incarnation(), counter.length(), false);
    }

    /** Returns the target of a pair, found without its name. */
    static Target target(int rank, CounterPair pair) {
        return new Target(rank, pair.id(), pair.incarnation(), pair.length(), true);
    }

    /** Returns a deadline that only a behaviour that fails reaches. */
    long deadline() {
        return Deadline.in(20, SECONDS);
    }

    /** Advances all ranks until a condition holds. */
    void advanceUntil(BooleanSupplier condition) {
        final long deadlineNs = deadline();
        while (!condition.getAsBoolean()) {
            assertThat(Deadline.reached(deadlineNs))
                    .as("the condition holds in time")
                    .isFalse();
            for (int rank = 0; rank < RANKS; rank++) {
                context(rank).advance();
                client(rank).context(1).advance();
            }
        }
    }

    /** Advances all ranks until they have nothing to do. */
    void settle() {
        settle(0, 1, 2, 3);
    }

    /** Advances some ranks until they have nothing to do. */
    void settle(int... ranks) {
        final long quietNs = links.quietNs();
        int idle = 0;
        long workedNs = System.nanoTime();
        // Turns count once the time has passed, which another thread may have had.
        for (int turn = 0; turn < MOST_TURNS && idle < IDLE_TURNS; turn++) {
            final boolean isQuiet = System.nanoTime() - workedNs >= quietNs;
            int work = 0;
            for (final int rank : ranks) {
                work += context(rank).advance();
                work += client(rank).context(1).advance();
            }
            idle = work != 0 ? 0 : isQuiet ? idle + 1 : idle;
            workedNs = work == 0 ? workedNs : System.nanoTime();
        }
        assertThat(idle).as("idle turns of the job").isGreaterThanOrEqualTo(IDLE_TURNS);
    }

    /**
     * Makes one wait of a rank, by short waits between which the other ranks advance. So the wait ends because of the
     * progress of others, as it would if each had its own thread.
     */
    void pumping(int rank, LongConsumer wait) {
        for (int waits = 1; ; waits++) {
            try {
                wait.accept(Deadline.in(1, MILLISECONDS));
                return;
            } catch (final DeadlineException e) {
                if (waits == MOST_WAITS) {
                    throw e;
                }
                advanceOthers(rank);
            }
        }
    }

    /** Advances all contexts but those of one rank, once. */
    void advanceOthers(int rank) {
        for (int other = 0; other < RANKS; other++) {
            if (other != rank) {
                context(other).advance();
                client(other).context(1).advance();
            }
        }
    }

    /** Lets all other ranks find that {@code rank} has died. */
    void dies(int rank) {
        engines.endProcess(rank);
        change(rank, PeerStates.DEAD);
    }

    /**
     * Makes a rank lose another: the link between them fails, with all that it still carries, and nobody dies; or the
     * rank dies, where memory joins them.
     */
    void loses(int lost, int rank) {
        if (reach.isMapped(rank, lost)) {
            dies(lost);
        } else {
            Stream.of(engines.links(rank, lost), engines.links(lost, rank))
                    .flatMap(List::stream)
                    .forEach(ContractJob::fail);
        }
    }

    private static void fail(Link end) {
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            end.poll(stream, (memory, offset, length) -> true, Integer.MAX_VALUE);
        }
        end.close();
    }

    /** Returns true if a link joins the sender and the receiver. */
    boolean isLinked() {
        return !reach.isMapped(from, to);
    }

    /** Lets all other ranks find that {@code rank} has left. */
    void leaves(int rank) {
        change(rank, PeerStates.LEFT);
    }

    private void change(int rank, int state) {
        for (int other = 0; other < RANKS; other++) {
            if (other != rank) {
                engines.states(other).change(rank, state);
            }
        }
    }

    /**
     * Lets another client of the receiver have all but its first context and close. Of the other ranks only those take
     * part that have mapped its memory.
     */
    void reuse() {
        final Client other =
                ContextAccess.openClient(receiving(), new ContextAccess.ClientRequest("other", 2, 1, 1, 0, new int[0]));
        assertThat(Endpoint.context(other.context().endpoint())).isEqualTo(1);
        final Closing closing = other.close();
        for (int turn = 0; turn < MOST_TURNS && !closing.isDone(); turn++) {
            receiver.advance();
            for (int rank = 0; rank < RANKS; rank++) {
                if (reach.isMapped(rank, to)) {
                    engines.pass(rank);
                }
            }
        }
        assertThat(closing.isDone()).isTrue();
        receiver.advance();
    }

    /** Returns how often a rank has counted a refusal. */
    long refusals(int rank, Refusal refusal) {
        return engines.metrics(rank).get(refusal);
    }

    /** Injects until there is room. */
    void inject(Injection injection) {
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            if (injection.inject() >= 0) {
                return;
            }
            settle();
        }
        throw new AssertionError("an injection has no room");
    }

    /** Operation that may have no room. */
    @FunctionalInterface
    interface Injection {
        long inject();
    }

    /** Requires that an operation of 8 bytes, which completes {@link #done}, is refused for a reason. */
    void requireRefused(String reason, Runnable operation) {
        done.expect(8);
        operation.run();
        settle();
        assertThatThrownBy(() -> sender.await(done, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank " + to)
                .hasMessageContaining(reason);
        done.reset();
    }

    /** Requires that a window has {@code length} bytes of the initial content of the source. */
    static void requireCopied(Window window, int offset, int sourceOffset, int length) {
        final byte[] found = new byte[length];
        window.buffer().getBytes(offset, found);
        for (int i = 0; i < length; i++) {
            if (found[i] != CONTENT[sourceOffset + i]) {
                throw new AssertionError("byte " + i + " of " + length + ": " + found[i]);
            }
        }
    }

    /** Requires that all bytes of a range have one value. */
    static void requireAll(Window window, int offset, int end, int value) {
        for (int i = offset; i < end; i++) {
            if (window.buffer().getByte(i) != (byte) value) {
                throw new AssertionError("byte " + i + ": " + window.buffer().getByte(i));
            }
        }
    }

    /** Registers a handler that notes the first word of each payload, or the length of a shorter one. */
    static List<Long> noting(Context context, int dispatchId) {
        final List<Long> noted = new ArrayList<>();
        context.handler(
                dispatchId,
                (origin, buffer, metadata, metadataLength, payload, length) ->
                        noted.add(word(buffer, payload, length)));
        return noted;
    }

    private static long word(DirectBuffer buffer, int offset, int length) {
        return length < Long.BYTES ? length : buffer.getLong(offset);
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(ContractJob::delete);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        engines.close();
        links.close();
    }

    private static void delete(File file) {
        if (!file.delete()) {
            throw new UncheckedIOException(new IOException("cannot delete " + file));
        }
    }
}
