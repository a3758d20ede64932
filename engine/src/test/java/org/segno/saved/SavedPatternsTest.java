package org.segno.saved;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Patterns that one job has recorded, replayed in the next. */
@Timeout(120)
@OverMemoryAndLinks
class SavedPatternsTest {
    private static final String EXCHANGE = "pattern 7 of context 0 in ";

    @TempDir
    Path parent;

    @TempDir
    Path files;

    private Path file;

    @BeforeEach
    void name() {
        file = files.resolve("rank-0");
    }

    private static long shortDeadline() {
        return Deadline.in(2, TimeUnit.MILLISECONDS);
    }

    /** Runs one job in which rank {@code rank} saves. */
    private void saveOf(int rank) {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            ranks.record();
            assertThat(SavedPatterns.save(ranks.client(rank), file)).isEqualTo(rank == 0 ? 2 : 1);
        }
    }

    @Test
    void shouldReplayInANewJobThePatternsOfTheLastOne() {
        final Path other = files.resolve("rank-1");
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            ranks.record();
            SavedPatterns.save(ranks.client(0), file);
            SavedPatterns.save(ranks.client(1), other);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final List<Pattern> loaded = ranks.load(0, file, InProcessJob.deadline());
            final List<Pattern> back = ranks.load(1, other, InProcessJob.deadline());
            ranks.job.settle();
            assertThat(loaded).extracting(Pattern::id).containsExactly(TwoRanks.EXCHANGE, TwoRanks.EVERYTHING);
            assertThat(loaded).extracting(Pattern::generation).containsExactly(0L, 0L);
            assertThat(ranks.received).as("nothing is sent by loading").isEmpty();
            assertThat(ranks.pairs[0].counter(1).valueAcquire()).isZero();
            assertThat(ranks.context(0).pattern(TwoRanks.EXCHANGE)).isSameAs(loaded.get(0));
            for (long round = 1; round <= 5; round++) {
                exchange(ranks, loaded.get(0), back.get(0), round);
                everything(ranks, loaded.get(1), round);
            }
        }
    }

    private static void exchange(TwoRanks ranks, Pattern pattern, Pattern back, long round) {
        ranks.windows[0].buffer().putLong(TwoRanks.SOURCE, 100 + round);
        ranks.windows[1].buffer().putLong(TwoRanks.SOURCE, 200 + round);
        assertThat(ranks.context(0).replay(pattern)).isEqualTo(round);
        ranks.job.settle();
        assertThat(pattern.executedAcquire()).as("the WAIT holds it").isEqualTo(round - 1);
        assertThat(ranks.context(1).replay(back)).isEqualTo(round);
        ranks.job.settle();
        ranks.context(0).await(pattern, round, InProcessJob.deadline());
        ranks.context(1).await(back, round, InProcessJob.deadline());
        final int set = (int) ranks.pairs[0].offset(round) + 8;
        assertThat(ranks.windows[0].buffer().getLong(set)).isEqualTo(200 + round);
        assertThat(ranks.windows[1].buffer().getLong(set)).isEqualTo(100 + round);
        assertThat(ranks.windows[0].buffer().getLong(TwoRanks.PLACE)).isEqualTo(100 + round);
        assertThat(ranks.injected[0].valueAcquire()).isZero();
    }

    private static void everything(TwoRanks ranks, Pattern pattern, long round) {
        final Window window = ranks.windows[0];
        final Window there = ranks.windows[1];
        window.buffer().putLong(TwoRanks.SOURCE + 8, 300 + round);
        window.buffer().putLong(TwoRanks.SOURCE + 16, 400 + round);
        ranks.received.clear();
        assertThat(ranks.context(0).replay(pattern)).isEqualTo(round);
        ranks.job.settle();
        ranks.context(0).await(pattern, round, InProcessJob.deadline());
        assertThat(there.buffer().getLong(TwoRanks.SINGLE)).isEqualTo(100 + round);
        assertThat(there.buffer().getLong(TwoRanks.BYTES + 16)).isEqualTo(100 + round);
        assertThat(window.buffer().getLong(TwoRanks.PLACE + 8)).isEqualTo(100 + round);
        assertThat(window.buffer().getLong(TwoRanks.SINGLE + 8)).isEqualTo(100 + round);
        assertThat(window.buffer().getLong(TwoRanks.PLACE + 16)).isEqualTo(5 * (round - 1));
        assertThat(there.buffer().getLong(TwoRanks.SINGLE + 24)).isEqualTo(5 * round);
        assertThat(ranks.received)
                .containsExactly(
                        "immediate 31 20",
                        "sent " + (300 + round) + " " + (400 + round),
                        "sent 31 " + (400 + round),
                        "landed 32 8");
    }

    @Test
    void shouldSaveAndLoadOperandsThatAreCountersAndPairs() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            recordOperands(ranks);
            assertThat(SavedPatterns.save(ranks.client(0), file)).isEqualTo(1);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final Pattern loaded = ranks.load(0, file, InProcessJob.deadline()).get(0);
            final AtomicBuffer own = ranks.windows[0].buffer();
            for (long round = 1; round <= 4; round++) {
                final int slots = (int) ranks.pairs[0].offset(round);
                own.putLong(slots, 10 * round);
                own.putLong(slots + 8, 10 * round + 1);
                own.putLong(TwoRanks.SINGLE, 10 * round + 2);
                ranks.received.clear();
                assertThat(ranks.context(0).replay(loaded)).isEqualTo(round);
                ranks.job.settle();

                assertThat(ranks.windows[1].buffer().getLong(TwoRanks.SINGLE)).isEqualTo(10 * round);
                assertThat(ranks.received).containsExactly("sent " + (10 * round + 1) + " " + (10 * round + 2));
                assertThat(own.getLong(slots + 16)).isEqualTo(10 * round + 2);
                assertThat(own.getLong(slots + 24)).as("combined").isEqualTo(20 * round + 3);
            }
        }
    }

    @Test
    void shouldRefuseAnOperandWhoseCounterIsAnotherNow() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            recordOperands(ranks);
            SavedPatterns.save(ranks.client(0), file);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            ranks.client(0).withdraw("single");
            ranks.client(0).close(ranks.singles[0]);
            ranks.job.settle();
            assertThatThrownBy(() -> ranks.load(0, file, InProcessJob.deadline()))
                    .hasMessageContaining("its reception counter " + ranks.singles[0].id() + " is not open");
        }
    }

    private static void recordOperands(TwoRanks ranks) {
        final Context context = ranks.context(0);
        final Target single = ranks.attach(0, 1, "single");
        final CounterPair pair = ranks.pairs[0];
        final Message message = new Message().to(1, 4).metadata(pair, 8, 8).payload(ranks.singles[0], 0, 8);
        context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.put(single, 0, pair, 0, 8);
            context.send(message);
            context.copy(ranks.singles[0], 0, pair, 16, 8);
            context.combine(
                    ranks.singles[0],
                    0,
                    pair,
                    24,
                    8,
                    Combine.of(ElementType.LONG, Operator.SUM).with(pair, 8));
        });
        ranks.job.settle();
    }

    /** Lets the peer open more than before: its counters are found by their names. */
    @Test
    void shouldFindThePeersCountersByNameUnderAnyIds() {
        saveOf(0);
        try (TwoRanks ranks = TwoRanks.open(parent, 3)) {
            final Pattern pattern = ranks.load(0, file, InProcessJob.deadline()).get(0);
            ranks.windows[0].buffer().putLong(TwoRanks.SOURCE, 42);
            assertThat(ranks.context(0).replay(pattern)).isEqualTo(1);
            ranks.job.settle();
            assertThat(ranks.windows[1].buffer().getLong(TwoRanks.BYTES + 8)).isEqualTo(42);
            assertThat(ranks.pairs[1].counter(1).valueAcquire()).isEqualTo(-16);

            // Ends the round: a node that is closed waits for the end of its descriptors.
            ranks.context(1).count(ranks.attach(1, 0, "pair").ofRound(1), -16);
            ranks.job.settle();
            assertThat(pattern.executedAcquire()).isEqualTo(1);
        }
    }

    @Test
    void shouldSaveLoadedPatternsAsTheSameBytes() throws IOException {
        saveOf(0);
        final byte[] first = Files.readAllBytes(file);
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            ranks.load(0, file, InProcessJob.deadline());
            SavedPatterns.save(ranks.client(0), file);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(first);
        assertThat(files).as("nothing is left beside it").isDirectoryNotContaining(path -> !path.equals(file));
    }

    /** Stores a wrong number of targets: their list is as long as a descriptor, and words behind it are no ranks. */
    @ParameterizedTest
    @ValueSource(longs = {0, 6, 127, 255})
    void shouldRefuseAMulticastToMoreTargetsThanADescriptorHas(long targets) {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final Message message =
                    new Message().to(0, 3).metadata(ranks.windows[0], 0, 8).payload(ranks.windows[0], 0, 8);
            ranks.context(0)
                    .prepare(
                            Rounds.ORDERED_BY_CALLER,
                            () -> ranks.context(0).multicast(message, new long[] {0, 1}, 0, 2));
            SavedPatterns.save(ranks.client(0), file);
        }
        final SavedContent saved = PatternFile.read(file);
        final long[] words = saved.patterns().get(0).words();
        final int word = Descriptor.TARGET_OFFSET / Long.BYTES;
        words[word] = (words[word] & ~(0xFFL << 40)) | targets << 40;
        PatternFile.write(file, saved);
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            assertThatThrownBy(() -> ranks.load(0, file, InProcessJob.deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "does not fit this job: it has a multicast to " + targets + " targets instead of 1 to 5");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 0x80, 0x100, 0x8000, 0xFFFF})
    void shouldRefuseADescriptorWithANonzeroReservedField(int reserved) {
        saveOf(0);
        final SavedContent saved = PatternFile.read(file);
        final long[] words = saved.patterns().get(0).words();
        words[0] |= (long) reserved << (Descriptor.RESERVED_OFFSET * Byte.SIZE);
        PatternFile.write(file, saved);
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            assertThatThrownBy(() -> ranks.load(0, file, InProcessJob.deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "does not fit this job: it has a descriptor whose reserved field is not zero",
                            "0x" + Integer.toHexString(reserved));
        }
    }

    @Test
    void shouldRefuseTheFileOfAnotherRank() {
        saveOf(0);
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            assertThatThrownBy(() -> ranks.load(1, file, InProcessJob.deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            file + " has the patterns of rank 0 of 2, but this is rank 1 of 2", "record again");
        }
        try (InProcessJob job = InProcessJob.join(parent, 1, TwoRanks.config())) {
            assertThatThrownBy(() -> SavedPatterns.load(job.node(0).client(), file, InProcessJob.deadline()))
                    .hasMessageContaining("this is rank 0 of 1");
        }
    }

    /** Opens fewer or other objects, and checks the reported difference of the first pattern. */
    @Test
    void shouldRefuseByNameObjectsThatThisNodeHasNotOpenedAsBefore() {
        saveOf(1);
        try (InProcessJob job = InProcessJob.join(parent, 2, TwoRanks.config())) {
            final Client peer = job.node(0).client();
            final CounterPair there = peer.counterPair(peer.window(4096), 0, 64, 64);
            final Client client = job.node(1).client();
            refuses(job, "rank 0 to publish \"pair\"", shortDeadline(), DeadlineException.class);
            peer.publish("pair", there);
            refuses(job, "its window 0 of 4096 bytes is not open");
            final Window window = client.window(4096);
            refuses(job, "its injection counter 0 is not open");
            client.injectionCounter();
            refuses(job, "its counter pair 2, 3 is not a pair here");
            client.counterPair(window, 0, 72, 64);
            refuses(job, "its reception counter 3 covered 64 bytes at offset 64");
            assertThat(client.context().pattern(TwoRanks.EXCHANGE)).isNull();
        }
    }

    private void refuses(InProcessJob job, String why) {
        refuses(job, why, InProcessJob.deadline(), IllegalStateException.class);
    }

    private <T> void refuses(InProcessJob job, String why, long deadlineNs, Class<T> kind) {
        assertThatThrownBy(() -> job.whileAdvancing(
                        0, () -> SavedPatterns.load(job.node(1).client(), file, deadlineNs)))
                .isInstanceOf(kind)
                .hasMessageContainingAll(EXCHANGE + file, why);
    }

    @Test
    void shouldRefuseByNameObjectsThatHaveChanged() {
        saveOf(1);
        try (InProcessJob job = InProcessJob.join(parent, 2, TwoRanks.config())) {
            final Client peer = job.node(0).client();
            final Window far = peer.window(4096);
            final Client client = job.node(1).client();
            final Window window = client.window(4096);
            client.injectionCounter();
            final CounterPair closed = client.counterPair(window, 0, 64, 64, 0);
            peer.publish("pair", peer.counterPair(far, 0, 128, 128));
            refuses(
                    job,
                    "\"pair\" at rank 0 was a pair of counters over 64 bytes but now is a pair of counters over 128"
                            + " bytes");
            peer.withdraw("pair");
            peer.publish("pair", peer.receptionCounter(far, 0, 64));
            refuses(job, "but now is a counter over 64 bytes");
            peer.withdraw("pair");
            peer.publish("pair", peer.counterPair(far, 0, 64, 64));
            refuses(job, "sources " + ReceptionCounter.ANYBODY + ", but now");
            client.close(closed);
            refuses(job, "its counter pair 2, 3 is not a pair here");
        }
        try (InProcessJob job = InProcessJob.join(parent, 2, TwoRanks.config())) {
            final Client peer = job.node(0).client();
            peer.publish("pair", peer.counterPair(peer.window(4096), 0, 64, 64));
            final Client client = job.node(1).client();
            client.window(128);
            refuses(job, "its window 0 had 4096 bytes at offset 0 of the arena, but now has 128 at 0");
        }
    }

    @Test
    void shouldCompareTheSetOfRanksThatACounterAdmits() {
        try (InProcessJob job = InProcessJob.join(parent, 3, TwoRanks.config())) {
            final Client client = job.node(0).client();
            client.receptionCounter(client.window(64), 0, 8, new int[] {0, 1});
            prepareWithSources(client, 2, 1);
            assertThat(SavedPatterns.save(client, file)).isEqualTo(1);
        }
        try (InProcessJob job = InProcessJob.join(parent, 3, TwoRanks.config())) {
            final Client client = job.node(0).client();
            client.receptionCounter(client.window(64), 0, 8);
            client.receptionCounter(client.window(64), 0, 64, new int[] {1, 2});
            assertThat(SavedPatterns.load(client, file, InProcessJob.deadline()))
                    .as("an equal set, whatever its number")
                    .hasSize(1);
        }
        try (InProcessJob job = InProcessJob.join(parent, 3, TwoRanks.config())) {
            final Client client = job.node(0).client();
            client.receptionCounter(client.window(64), 0, 8);
            client.receptionCounter(client.window(64), 0, 64, new int[] {0, 1});
            assertThatThrownBy(() -> SavedPatterns.load(client, file, InProcessJob.deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("for sources [1, 2], but now covers 64 bytes", "for sources [0, 1];");
        }
    }

    private static void prepareWithSources(Client client, int... sources) {
        final ReceptionCounter counter = client.receptionCounter(client.window(64), 0, 64, sources);
        client.context()
                .prepare(Rounds.ORDERED_BY_CALLER, () -> client.context().expect(counter, 8));
    }

    @Test
    void shouldLoadAllOrNothing() {
        saveOf(0);
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final Context context = ranks.context(0);
            // 64 slots: the exchange has 6 descriptors, everything 14, this 48.
            final Pattern large = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < 48; i++) {
                    context.copy(ranks.windows[0], 0, ranks.windows[0], 512, 8);
                }
            });
            assertThatThrownBy(() -> ranks.load(0, file, InProcessJob.deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("pattern 8 of context 0 in " + file, "outgrows the pattern buffer");
            assertThat(context.pattern(TwoRanks.EXCHANGE)).isNull();
            context.await(large, 1, InProcessJob.deadline());
            large.close();

            final Pattern taken = ranks.recordEverything();
            ranks.job.settle();
            assertThatThrownBy(() -> ranks.load(0, file, InProcessJob.deadline()))
                    .hasMessageContainingAll("pattern 8 of context 0 in " + file, "already recorded");
            assertThat(context.pattern(TwoRanks.EXCHANGE)).isNull();
            taken.close();
            assertThat(ranks.load(0, file, InProcessJob.deadline())).hasSize(2);
            ranks.client(0).close(ranks.client(0).injectionCounter());
            assertThatThrownBy(() -> ranks.client(0).close(ranks.singles[0]))
                    .as("pinned as by a recording")
                    .hasMessageContaining("is used by pattern 8");
        }
    }

    @Test
    void shouldNotSaveObjectsThatANewJobCouldNotFind() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final Context context = ranks.context(0);
            final Window window = ranks.windows[0];
            final Target nameless = new Target(1, ranks.singles[1].id(), 1, 64, false);
            final Pattern pattern =
                    context.record(3, Rounds.ORDERED_BY_CALLER, () -> context.put(nameless, 0, window, 0, 8));
            assertThatThrownBy(() -> SavedPatterns.save(ranks.client(0), file))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            pattern + " in context 0 of rank 0 cannot be saved",
                            "counter " + ranks.singles[1].id() + " of rank 1, which was not attached by a name");
            assertThat(file).doesNotExist();
            ranks.attach(0, 1, "single");
            assertThat(SavedPatterns.save(ranks.client(0), file)).isEqualTo(1);
            context.record(4, Rounds.ORDERED_BY_CALLER, () -> {
                context.copy(window, 0, window, 512, 8);
                assertThatThrownBy(() -> SavedPatterns.save(ranks.client(0), file))
                        .hasMessageContaining("saving or loading patterns cannot be replayed");
            });
        }
    }

    @Test
    void shouldKeepThePatternsOfEveryContextOfAClientThatWasOpenedByName() {
        final ClientConfig share = ClientConfig.named("alpha").withWindowBytes(1024);
        try (InProcessJob job = InProcessJob.join(parent, 1, TwoRanks.config().withContexts(3))) {
            final Client client = job.node(0).openClient(share.withContexts(2));
            final Window window = client.window(1024);
            client.publish("place", client.receptionCounter(window, 512, 64));
            for (int i = 0; i < 2; i++) {
                final Context context = client.context(i);
                final Target place = client.context(0).attach(0, "place", InProcessJob.deadline());
                context.record(i, Rounds.ORDERED_BY_CALLER, () -> context.put(place, 0, window, 8, 8));
            }
            assertThat(SavedPatterns.save(client, file)).isEqualTo(2);
        }
        try (InProcessJob job = InProcessJob.join(parent, 1, TwoRanks.config().withContexts(3))) {
            assertThatThrownBy(() -> SavedPatterns.load(job.node(0).client(), file, InProcessJob.deadline()))
                    .hasMessageContaining("has the patterns of client \"alpha\", but this is the node's own client");
            final Client client = job.node(0).openClient(share.withContexts(2));
            final Window window = client.window(1024);
            client.publish("place", client.receptionCounter(window, 512, 64));
            final List<Pattern> loaded = SavedPatterns.load(client, file, InProcessJob.deadline());
            for (int i = 0; i < 2; i++) {
                window.buffer().putLong(8, 50 + i);
                assertThat(client.context(i).replay(loaded.get(i))).isEqualTo(1);
                client.context(i).await(loaded.get(i), 1, InProcessJob.deadline());
                assertThat(window.buffer().getLong(512)).isEqualTo(50 + i);
            }
        }
        try (InProcessJob job = InProcessJob.join(parent, 1, TwoRanks.config().withContexts(3))) {
            final Client client = job.node(0).openClient(share);
            final Window window = client.window(1024);
            client.publish("place", client.receptionCounter(window, 512, 64));
            assertThatThrownBy(() -> SavedPatterns.load(client, file, InProcessJob.deadline()))
                    .hasMessageContainingAll("pattern 1 of context 1 in " + file, "no such context, it has [0]");
        }
    }
}
