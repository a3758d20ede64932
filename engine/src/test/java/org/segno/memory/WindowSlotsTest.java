package org.segno.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.status.Status;

/** Slots of a window: claimed, released, counted, and never given twice. */
class WindowSlotsTest {
    private static final int LENGTH = 1000;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Window window;

    @BeforeEach
    void open() {
        engines = EngineFixture.open(
                directory, NodeSize.small().windowBytes(1 << 16).dimensions());
        window = engines.client(0).window(LENGTH);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldGiveEverySlotOnceAndThenNone() {
        final WindowSlots slots = WindowSlots.of(window, 100);

        // Strides of 128 bytes; the last slot needs no more than its own 100.
        assertThat(slots.slots()).isEqualTo(8).isEqualTo(slots.free());
        for (int i = 0; i < 8; i++) {
            assertThat(slots.claim()).isEqualTo(128L * i);
        }
        assertThat(slots.free()).isZero();
        assertThat(slots.claim()).isEqualTo(Status.BACK_PRESSURED);
        assertThat(slots.claim()).isEqualTo(Status.BACK_PRESSURED);

        slots.release(256);
        assertThat(slots.free()).isEqualTo(1);
        assertThat(slots.claim()).isEqualTo(256);
        assertThat(slots).hasToString("0 of 8 slots of 100 bytes free in " + window);
    }

    @Test
    void shouldAlignSlotsWithinAPartOfAWindow() {
        final WindowSlots slots = WindowSlots.of(window, 64, 200, 65);

        assertThat(slots.slots()).isEqualTo(2);
        assertThat(slots.claim()).isEqualTo(64);
        assertThat(slots.claim()).isEqualTo(64 + 128);
        assertThat(slots.claim()).isEqualTo(Status.BACK_PRESSURED);
        assertThat(slots.slotLength()).isEqualTo(65);
        assertThat(slots.window()).isSameAs(window);
        assertThat(WindowSlots.of(window, LENGTH).slots()).isEqualTo(1);
        assertThat(WindowSlots.of(window, 64).slots()).isEqualTo(15);
    }

    @Test
    void shouldNameTheSlotAndTheWindowOfAWrongRelease() {
        final WindowSlots slots = WindowSlots.of(window, 128, 512, 128);
        final long claimed = slots.claim();

        for (final long wrong : new long[] {claimed + 1, claimed - 128, claimed + 4 * 128, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> slots.release(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no slot of window 0 [1000 bytes] begins at this offset: offset=" + wrong);
        }
        slots.release(claimed);
        assertThatThrownBy(() -> slots.release(claimed))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("slot 0 of window 0 [1000 bytes] is free: offset=128; release each claimed slot once");
        assertThatThrownBy(() -> slots.release(claimed + 256))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("slot 2 of window 0");
        assertThat(slots.free()).isEqualTo(4);
    }

    @Test
    void shouldRefuseARangeWithoutSlots() {
        assertThatThrownBy(() -> WindowSlots.of(window, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("slotLength must be at least 1: slotLength=0");
        assertThatThrownBy(() -> WindowSlots.of(window, 8, 512, 64))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must begin at a multiple of 64")
                .hasMessageContaining("offset=8");
        assertThatThrownBy(() -> WindowSlots.of(window, LENGTH + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no room for a slot: length=1000 slotLength=1001");
        assertThatThrownBy(() -> WindowSlots.of(window, 512, 512, 64))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("slots range [512, 512 + 512) lies outside window 0");
    }

    @Test
    void shouldGiveNoSlotOfAClosedWindow() {
        final WindowSlots slots = WindowSlots.of(window, 128);
        final long claimed = slots.claim();
        engines.client(0).close(window);

        assertThatThrownBy(slots::claim)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("window 0 is closed");
        slots.release(claimed);
        assertThat(slots.free()).isEqualTo(slots.slots());
        assertThatThrownBy(() -> WindowSlots.of(window, 128)).isInstanceOf(IllegalStateException.class);
    }

    /** Compares random claims and releases with a model. */
    @Test
    void shouldNeverGiveASlotTwice() {
        final long seed = System.nanoTime();
        final SplittableRandom chance = new SplittableRandom(seed);
        final WindowSlots slots = WindowSlots.of(window, 64);
        final Map<Long, Integer> model = new HashMap<>();
        for (int step = 0; step < 10_000; step++) {
            if (chance.nextBoolean()) {
                final long claimed = slots.claim();
                assertThat(claimed < 0).as("seed %s step %s", seed, step).isEqualTo(model.size() == slots.slots());
                if (claimed >= 0) {
                    assertThat(model.put(claimed, step))
                            .as("seed %s step %s", seed, step)
                            .isNull();
                    assertThat(claimed % WindowSlots.ALIGNMENT).isZero();
                    assertThat(claimed).isBetween(0L, LENGTH - 64L);
                }
            } else if (!model.isEmpty()) {
                final List<Long> claimed = new ArrayList<>(model.keySet());
                final long released = claimed.get(chance.nextInt(claimed.size()));
                model.remove(released);
                slots.release(released);
            }
            assertThat(slots.free()).isEqualTo(slots.slots() - model.size());
        }
    }
}
