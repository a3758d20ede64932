package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * Data of a counter pair, which land in two places in turn. An operand that names one place would read old data in
 * every second round.
 */
@ParameterizedClass
@EnumSource(
        value = Reach.class,
        names = {"MAPPED", "LINKED"})
class AlternatingDataTest {
    private static final int ID = 3;
    private static final int EVEN = 512;
    private static final int ODD = 768;
    private static final int LENGTH = 64;

    @Parameter
    Reach reach = Reach.MAPPED;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window window;
    private CounterPair pair;
    private Target peer;
    private InjectionCounter counter;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().dimensions(), reach, EngineFixture.SMALL_LINK);
        context = engines.context(0);
        window = engines.client(0).window(1024);
        pair = engines.client(0).counterPair(window, EVEN, ODD, LENGTH);
        counter = engines.client(0).injectionCounter();
        final Window peerWindow = engines.client(1).window(1024);
        final CounterPair theirs =
                engines.client(1).counterPair(peerWindow, 0, 512, 512, 0, Right.PUT, Right.GET, Right.ATOMIC);
        peer = new Target(1, theirs.id(), theirs.incarnation(), 512, true);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    /** Operations with a window operand, over 8 bytes of the context's window at an offset. */
    private enum Operand {
        PUT_SOURCE,
        SEND_PAYLOAD,
        SEND_METADATA,
        MULTICAST_PAYLOAD,
        MULTICAST_METADATA,
        COPY_SOURCE,
        COPY_TARGET,
        GET_PLACE,
        RMW_RESULT
    }

    private void inject(Operand operand, long at) {
        final Message message = new Message().to(1, 5);
        final long[] endpoints = {context.endpoint(), context.endpoint()};
        final long result = switch (operand) {
            case PUT_SOURCE -> context.put(peer, 0, window, at, 8);
            case SEND_PAYLOAD -> context.send(message.payload(window, at, 8));
            case SEND_METADATA -> context.send(message.metadata(window, at, 8).payload(window, 0, 0));
            case MULTICAST_PAYLOAD ->
                context.multicast(message.metadata(window, 0, 0).payload(window, at, 8), endpoints, 0, 2);
            case MULTICAST_METADATA ->
                context.multicast(message.metadata(window, at, 8).payload(window, 0, 0), endpoints, 0, 2);
            case COPY_SOURCE -> context.copy(window, at, window, 0, 8);
            case COPY_TARGET -> context.copy(window, 0, window, at, 8);
            case GET_PLACE -> context.get(peer, 0, window, at, 8, counter);
            case RMW_RESULT -> context.rmw(peer, 0, new Rmw().fetchAdd(1).result(window, at));
        };
        assertThat(result).isNotNegative();
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAnOperandInThePlaceOfAPairThatTheRecordingExpects(Operand operand) {
        for (final int at : new int[] {EVEN, ODD, ODD + LENGTH - 8}) {
            assertRefused(() -> {
                context.expect(pair, LENGTH);
                context.waitUntil(pair, 0);
                inject(operand, at);
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseItAlsoWhereTheOperandComesFirst(Operand operand) {
        assertRefused(() -> {
            inject(operand, ODD);
            context.expect(pair, LENGTH);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseItAlsoForAPairThatIsOnlyWaitedFor(Operand operand) {
        assertRefused(() -> {
            context.waitUntil(pair, 0);
            inject(operand, EVEN);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldRecordAnOperandBesideThePair(Operand operand) {
        for (final int at : new int[] {EVEN - 8, EVEN + LENGTH, ODD - 8, ODD + LENGTH}) {
            final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> {
                context.expect(pair, 0);
                inject(operand, at);
            });
            assertThat(pattern.descriptors()).isEqualTo(2);
            pattern.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRefuseItForEveryOrderOfRounds(boolean alternate) {
        assertThatThrownBy(() -> context.record(ID, alternate ? Rounds.ALTERNATE : Rounds.ORDERED_BY_CALLER, () -> {
                    context.expect(pair, LENGTH);
                    context.copy(window, EVEN, window, 0, LENGTH);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be replayed: the source of COPY")
                .hasMessageContaining(pair.toString())
                .hasMessageContaining("every second round would use old data");
    }

    @Test
    void shouldNotAffectDescriptorsInjectedOutsideARecording() {
        inject(Operand.COPY_SOURCE, EVEN);
        inject(Operand.SEND_PAYLOAD, ODD);
        engines.settle();
        assertThat(context.isDrained()).isTrue();
    }

    private void assertRefused(Runnable body) {
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, body))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be replayed")
                .hasMessageContaining(pair.toString())
                .hasMessageContaining("old data");
        assertThat(context.pattern(ID)).isNull();
        // The messages sent before the refusal are carried out, and their slots are freed.
        engines.settle();
    }
}
