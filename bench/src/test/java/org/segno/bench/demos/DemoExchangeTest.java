package org.segno.bench.demos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DemoExchangeTest {
    @ParameterizedTest
    @EnumSource(DemoExchange.class)
    void shouldWriteEveryReceivedByteOnceInEachPhase(DemoExchange exchange) {
        for (int target = 0; target < DemoExchange.RANKS; target++) {
            for (int phase = 0; phase < exchange.phases(target).size(); phase++) {
                final BitSet written = new BitSet();
                int bytes = 0;
                for (int source = 0; source < DemoExchange.RANKS; source++) {
                    for (final PieceMove move :
                            exchange.phases(source).get(phase).moves()) {
                        if (move.target() == target) {
                            written.set(move.targetOffset(), move.targetOffset() + move.length());
                            bytes += move.length();
                        }
                    }
                }
                assertThat(bytes).isEqualTo(exchange.phases(target).get(phase).receivedBytes());
                assertThat(written.cardinality()).isEqualTo(bytes);
                assertThat(written.length()).isEqualTo(bytes);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DemoExchange.class)
    void shouldSendEveryByteOfTheSourceOnceInEachPhase(DemoExchange exchange) {
        for (final PiecePhase phase : exchange.phases(1)) {
            final BitSet sent = new BitSet();
            phase.moves().forEach(move -> sent.set(move.sourceOffset(), move.sourceOffset() + move.length()));
            assertThat(sent.cardinality()).isEqualTo(phase.sentBytes());
            assertThat(phase.moves()).allMatch(move -> move.length() == exchange.pieceBytes());
        }
    }

    @Test
    void shouldHaveTheMessagesThatTheDocumentsName() {
        assertThat(DemoExchange.FFT.phases(0))
                .hasSize(4)
                .allMatch(phase -> phase.moves().size() == 256);
        assertThat(DemoExchange.NEIGHBOURS_8.phases(1).get(0).moves()).hasSize(256);
        assertThat(DemoExchange.NEIGHBOURS_26.phases(1).get(0).moves()).hasSize(832);
        for (int step = 0; step < DemoSpikes.STEPS; step++) {
            assertThat(DemoSpikes.spikes(0, 0, step) + DemoSpikes.spikes(0, 1, step))
                    .isEqualTo(1_600);
        }
    }
}
