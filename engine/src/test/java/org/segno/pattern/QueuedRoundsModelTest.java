package org.segno.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.pattern.RoundsModel.Kind;
import org.segno.pattern.RoundsModel.Rule;
import org.segno.pattern.RoundsModel.Step;

/**
 * All interleavings of a few rounds of two and three ranks, each with a queued next round: no rank reads a stale or an
 * overwritten slot. Without any one of the rules, one does.
 */
@Timeout(120)
class QueuedRoundsModelTest {
    private static final int DATA = 0;
    private static final int CREDIT = 1;

    /** Every rank puts its value at all others, and reduces when all values are there. */
    private static List<List<Step>> reduction(int ranks) {
        final List<List<Step>> sections = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            final List<Step> section = new ArrayList<>();
            section.add(new Step(Kind.ARM, rank, DATA, ranks - 1));
            for (int hop = 1; hop < ranks; hop++) {
                put(section, (rank + hop) % ranks, rank);
            }
            section.add(new Step(Kind.WAIT, rank, DATA, 0));
            for (int hop = 1; hop < ranks; hop++) {
                section.add(new Step(Kind.READ, rank, (rank + hop) % ranks, 0));
            }
            sections.add(section);
        }
        return sections;
    }

    /** A ring: every rank forwards what it received from its left neighbour, block by block. */
    private static List<List<Step>> ring(int ranks) {
        final List<List<Step>> sections = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            final List<Step> section = new ArrayList<>();
            section.add(new Step(Kind.ARM, rank, DATA, ranks - 1));
            for (int block = 0; block < ranks - 1; block++) {
                put(section, (rank + 1) % ranks, block);
                section.add(new Step(Kind.WAIT, rank, DATA, ranks - 2 - block));
                section.add(new Step(Kind.READ, rank, block, 0));
            }
            sections.add(section);
        }
        return sections;
    }

    /** A chain from rank 0 to the last one, which flows in one direction only. */
    private static List<List<Step>> chain(int ranks, boolean credits) {
        final List<List<Step>> sections = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            final boolean receives = rank > 0;
            final boolean sends = rank < ranks - 1;
            final List<Step> section = new ArrayList<>();
            if (receives) {
                section.add(new Step(Kind.ARM, rank, DATA, 1));
            }
            if (sends && credits) {
                section.add(new Step(Kind.ARM, rank, CREDIT, 1));
            }
            if (receives && credits) {
                section.add(new Step(Kind.COUNT, rank - 1, CREDIT, 0));
            }
            if (receives) {
                section.add(new Step(Kind.WAIT, rank, DATA, 0));
                section.add(new Step(Kind.READ, rank, 0, 0));
            }
            if (sends && credits) {
                section.add(new Step(Kind.WAIT, rank, CREDIT, 0));
            }
            if (sends) {
                put(section, rank + 1, 0);
            }
            sections.add(section);
        }
        return sections;
    }

    private static void put(List<Step> section, int peer, int slot) {
        section.add(new Step(Kind.WRITE, peer, slot, 0));
        section.add(new Step(Kind.COUNT, peer, DATA, 0));
    }

    private static void assertSafe(List<List<Step>> sections, int rounds) {
        final RoundsModel model = new RoundsModel(sections, rounds, EnumSet.allOf(Rule.class));
        assertThat(model.search()).isNull();
        assertThat(model.states()).isGreaterThan(100);
    }

    @ParameterizedTest
    @CsvSource({"2, 4", "3, 4"})
    void shouldReduceTheDataOfEachRound(int ranks, int rounds) {
        assertSafe(reduction(ranks), rounds);
    }

    @ParameterizedTest
    @CsvSource({"2, 4", "3, 4"})
    void shouldForwardTheDataOfEachRoundInARing(int ranks, int rounds) {
        assertSafe(ring(ranks), rounds);
    }

    @ParameterizedTest
    @CsvSource({"2, 4", "3, 4"})
    void shouldForwardTheDataOfEachRoundWithCredits(int ranks, int rounds) {
        assertSafe(chain(ranks, true), rounds);
    }

    private static String wrong(List<List<Step>> sections, Set<Rule> rules) {
        final String found = new RoundsModel(sections, 4, rules).search();
        assertThat(found).isNotNull();
        return String.valueOf(found);
    }

    @ParameterizedTest
    @CsvSource({"2", "3"})
    void shouldSeeARoundThatBeginsBeforeItsPredecessorIsExecuted(int ranks) {
        final Set<Rule> rules = EnumSet.complementOf(EnumSet.of(Rule.PREDECESSOR_EXECUTED));
        assertThat(wrong(reduction(ranks), rules)).contains("finds data of round");
        assertThat(wrong(ring(ranks), rules)).contains("finds data of round");
    }

    @ParameterizedTest
    @CsvSource({"2", "3"})
    void shouldSeeThatAnApplicationReadsSlotsTooLate(int ranks) {
        final Set<Rule> rules = EnumSet.complementOf(EnumSet.of(Rule.SECTION_READS));
        assertThat(wrong(reduction(ranks), rules)).contains("finds data of round");
    }

    @ParameterizedTest
    @CsvSource({"2", "3"})
    void shouldSeeAOneWayFlowWithoutCredits(int ranks) {
        assertThat(wrong(chain(ranks, false), EnumSet.allOf(Rule.class))).contains("finds data of round");
    }

    @Test
    void shouldSeeRoundsThatCannotEnd() {
        final List<List<Step>> sections = reduction(2);
        sections.get(1).removeIf(step -> step.kind() == Kind.COUNT);
        assertThat(wrong(sections, EnumSet.allOf(Rule.class))).contains("no step is possible");
    }
}
