package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * Runs over a link while another thread overwrites their first descriptor, as a process of the same user could. What
 * the engine has checked is what it uses: it never reads or writes beside the arena, which assertions detect.
 */
class OverwrittenRunTest {
    private static final int WINDOW = 1 << 14;
    private static final int LENGTH = 200;

    /** The defects that this test was written for failed it within 200 rounds. */
    private static final int ROUNDS = 5_000;

    @TempDir
    Path directory;

    private EngineFixture open() {
        return EngineFixture.open(
                directory,
                NodeSize.small()
                        .fifos(3)
                        .fifoSlots(1024)
                        .patternSlots(1024)
                        .counters(8)
                        .windowBytes(WINDOW)
                        .dimensions(),
                Reach.LINKED,
                1 << 14);
    }

    /** Returns the offset of the recorded descriptor with the length, before that with the source offset. */
    private static long find(Memory owner, long nextSourceOffset) {
        long found = -1;
        for (long at = 0; at + 2L * Descriptor.LENGTH <= owner.length(); at += Descriptor.LENGTH) {
            if (owner.getLong(at + Descriptor.LENGTH_OFFSET) == LENGTH
                    && owner.getLong(at + Descriptor.LENGTH + Descriptor.SOURCE_OFFSET_OFFSET) == nextSourceOffset) {
                found = at;
            }
        }
        assertThat(found).isNotNegative();
        return found;
    }

    /** Replays while a word alternates between its value and another one. */
    private static void replay(EngineFixture engines, Pattern pattern, long word, long other)
            throws InterruptedException {
        final Memory owner = engines.memory(0).owner();
        final long value = owner.getLong(word);
        final AtomicBoolean ended = new AtomicBoolean();
        final Thread foreign = new Thread(() -> {
            while (!ended.get()) {
                owner.putLongRelease(word, other);
                Thread.onSpinWait();
                owner.putLongRelease(word, value);
                Thread.onSpinWait();
            }
        });
        foreign.start();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                engines.context(0).replay(pattern);
                for (int pass = 0; pass < 6; pass++) {
                    engines.pass(0);
                    engines.pass(1);
                    engines.context(1).advance();
                }
                engines.requireNothingThrown();
            }
        } finally {
            ended.set(true);
            foreign.join();
        }
    }

    private static Pattern recordMessages(EngineFixture engines) {
        final Context sender = engines.context(0);
        final Window source = engines.client(0).window(WINDOW);
        engines.context(1).handler(1, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {});
        final Message message = new Message();
        final Pattern pattern = sender.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            sender.send(message.to(1, 1).payload(source, 0, LENGTH));
            sender.send(message.to(1, 1).payload(source, WINDOW - 8, 8));
        });
        engines.settle();
        return pattern;
    }

    @Test
    void shouldSendTheLengthThatWasCheckedOfMessages() throws Exception {
        try (EngineFixture engines = open()) {
            final Pattern pattern = recordMessages(engines);
            final long slot = find(engines.memory(0).owner(), WINDOW - 8);
            replay(engines, pattern, slot + Descriptor.LENGTH_OFFSET, 8);
        }
    }

    @Test
    void shouldSendTheFormThatWasCheckedOfMessages() throws Exception {
        try (EngineFixture engines = open()) {
            final Pattern pattern = recordMessages(engines);
            final Memory owner = engines.memory(0).owner();
            final long slot = find(owner, WINDOW - 8);
            final long immediate = Descriptor.withFlags(owner.getLong(slot), Descriptor.IMMEDIATE);
            owner.putLongRelease(slot + Descriptor.LENGTH, immediate);
            owner.putLongRelease(
                    slot + Descriptor.LENGTH + Descriptor.TARGET_OFFSET,
                    owner.getLong(slot + Descriptor.TARGET_OFFSET));
            replay(engines, pattern, slot, immediate);
        }
    }

    @Test
    void shouldCountAtTheInjectionCounterThatWasCheckedOfPuts() throws Exception {
        try (EngineFixture engines = open()) {
            final Context sender = engines.context(0);
            final Window source = engines.client(0).window(WINDOW);
            final Window window = engines.client(1).window(WINDOW);
            final ReceptionCounter counter = engines.client(1).receptionCounter(window, 0, WINDOW);
            final Target target = new Target(1, counter.id(), counter.incarnation(), WINDOW, false);
            final InjectionCounter done = engines.client(0).injectionCounter();
            final Pattern pattern = sender.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                sender.put(target, 0, source, 0, LENGTH, done);
                sender.put(target, LENGTH, source, WINDOW - LENGTH, LENGTH, done);
            });
            engines.settle();
            final Memory owner = engines.memory(0).owner();
            final long word = find(owner, WINDOW - LENGTH) + Descriptor.SOURCE_OPERAND_OFFSET;
            final long forged = (owner.getLong(word) & 0xFFFF_FFFFL) | 1L << 56;
            owner.putLongRelease(word + Descriptor.LENGTH, forged);
            replay(engines, pattern, word, forged);
        }
    }
}
