package org.segno.engine.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.segno.engine.memory.Memory;

/** Litmus tests of the simulated memory: it shows the outcomes that weak memory permits, and no others. */
class WeakModelTest {
    private static final int SEEDS = 2000;
    private static final long X = 0;
    private static final long Y = 128;

    private final ExecutorService workers = Executors.newCachedThreadPool();

    private boolean keepsFences = true;

    @AfterEach
    void close() {
        workers.shutdown();
    }

    @Test
    void shouldShowAPayloadOnceItsFlagIsSeenByReleaseAndAcquire() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLong(X, 7);
                            memory.putLongRelease(Y, 1);
                        },
                        (memory, seen) -> {
                            seen[0] = memory.getLongAcquire(Y);
                            seen[1] = memory.getLong(X);
                        }))
                .containsExactlyInAnyOrder("0 0", "0 7", "1 7");
    }

    @Test
    void shouldShowAFlagBeforeItsPayloadWithoutRelease() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLong(X, 7);
                            memory.putLong(Y, 1);
                        },
                        (memory, seen) -> {
                            seen[0] = memory.getLongAcquire(Y);
                            seen[1] = memory.getLong(X);
                        }))
                .contains("1 0", "1 7");
    }

    @Test
    void shouldShowAFlagBeforeItsPayloadWithoutAcquire() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLong(X, 7);
                            memory.putLongRelease(Y, 1);
                        },
                        (memory, seen) -> {
                            seen[0] = memory.getLong(Y);
                            seen[1] = memory.getLong(X);
                        }))
                .contains("1 0", "1 7");
    }

    @Test
    void shouldLetBothThreadsMissTheOthersStoreUnlessTheyFence() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLongRelease(X, 1);
                            seen[0] = memory.getLongAcquire(Y);
                        },
                        (memory, seen) -> {
                            memory.putLongRelease(Y, 1);
                            seen[1] = memory.getLongAcquire(X);
                        }))
                .contains("0 0");
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.getAndAddLong(X, 1);
                            seen[0] = memory.getLongAcquire(Y);
                        },
                        (memory, seen) -> {
                            memory.getAndAddLong(Y, 1);
                            seen[1] = memory.getLongAcquire(X);
                        }))
                .contains("0 1", "1 0")
                .doesNotContain("0 0");
    }

    @Test
    void shouldOrderAStoreAndALaterLoadByAFenceBetweenThem() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLong(X, 1);
                            memory.fullFence();
                            seen[0] = memory.getLong(Y);
                        },
                        (memory, seen) -> {
                            memory.putLong(Y, 1);
                            memory.fullFence();
                            seen[1] = memory.getLong(X);
                        }))
                .containsExactlyInAnyOrder("0 1", "1 0", "1 1");
    }

    @Test
    void shouldShowAPayloadOnceItsFlagIsSeenByFences() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLong(X, 7);
                            memory.fullFence();
                            memory.putLong(Y, 1);
                        },
                        (memory, seen) -> {
                            seen[0] = memory.getLong(Y);
                            memory.fullFence();
                            seen[1] = memory.getLong(X);
                        }))
                .containsExactlyInAnyOrder("0 0", "0 7", "1 7");
    }

    @Test
    void shouldIgnoreFencesUnlessTheyAreKept() {
        keepsFences = false;
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLong(X, 1);
                            memory.fullFence();
                            seen[0] = memory.getLong(Y);
                        },
                        (memory, seen) -> {
                            memory.putLong(Y, 1);
                            memory.fullFence();
                            seen[1] = memory.getLong(X);
                        }))
                .contains("0 0");
    }

    @Test
    void shouldLetAPlainStoreOvertakeALoadButNotAReleaseOrPastAnAcquire() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            seen[0] = memory.getLong(X);
                            memory.putLong(Y, 1);
                        },
                        (memory, seen) -> {
                            seen[1] = memory.getLongAcquire(Y);
                            memory.putLongRelease(X, 1);
                        }))
                .contains("1 1");
        assertThat(outcomes(
                        (memory, seen) -> {
                            seen[0] = memory.getLong(X);
                            memory.putLongRelease(Y, 1);
                        },
                        (memory, seen) -> {
                            seen[1] = memory.getLongAcquire(Y);
                            memory.putLongRelease(X, 1);
                        }))
                .doesNotContain("1 1");
        assertThat(outcomes(
                        (memory, seen) -> {
                            seen[0] = memory.getLongAcquire(X);
                            memory.putLong(Y, 1);
                        },
                        (memory, seen) -> {
                            seen[1] = memory.getLongAcquire(Y);
                            memory.putLongRelease(X, 1);
                        }))
                .doesNotContain("1 1");
    }

    @Test
    void shouldNeverGoBackInOneWordNorTearIt() {
        assertThat(outcomes(
                        (memory, seen) -> {
                            memory.putLong(X, 0x1_0000_0001L);
                            memory.putLong(X, 0x2_0000_0002L);
                        },
                        (memory, seen) -> {
                            seen[0] = memory.getLong(X) % 0x1_0000_0000L;
                            seen[1] = memory.getLong(X) >>> 32;
                        }))
                .containsExactlyInAnyOrder("0 0", "0 1", "0 2", "1 1", "1 2", "2 2");
    }

    @Test
    void shouldTearAValueStoredInTwoPieces() {
        assertThat(outcomes((memory, seen) -> memory.putLong(X + 4, 0x1_0000_0001L), (memory, seen) -> {
                    seen[0] = memory.getInt(X + 4);
                    seen[1] = memory.getInt(X + 8);
                }))
                .containsExactlyInAnyOrder("0 0", "0 1", "1 0", "1 1");
    }

    /** Returns the pairs of values that two threads load, over many seeds. */
    private Set<String> outcomes(BiConsumer<Memory, long[]> left, BiConsumer<Memory, long[]> right) {
        final Set<String> outcomes = new TreeSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            final long[] seen = new long[2];
            final WeakModel first = new WeakModel(seed, Orderings.ALL, null);
            run(first, left, right, seen);
            outcomes.add(seen[0] + " " + seen[1]);
            final EarlyStore hoist = first.chooseHoist(new SplittableRandom(seed));
            if (hoist != null) {
                final WeakModel second = new WeakModel(seed, Orderings.ALL, hoist);
                run(second, left, right, seen);
                if (second.isPossible()) {
                    outcomes.add(seen[0] + " " + seen[1]);
                }
            }
        }
        return outcomes;
    }

    private void run(WeakModel model, BiConsumer<Memory, long[]> left, BiConsumer<Memory, long[]> right, long[] seen) {
        if (keepsFences) {
            model.keepFences();
        }
        final Memory memory = new WeakMemory(model, 256);
        model.run(workers, List.of(() -> left.accept(memory, seen), () -> right.accept(memory, seen)));
    }
}
