package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.trace.TraceRecord;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/** Trace of the engine of rank 0, which puts to rank 1. */
@SuppressWarnings("NullAway.Init") // each test opens its fixture
class TraceTest {
    private static final int ID = 7;

    @TempDir
    Path directory;

    private final TraceRing ring = new TraceRing(TraceRing.MIN_BYTES);
    private EngineFixture engines;
    private Context context;
    private Window window;
    private Target target;

    private void open(TraceScope scope) {
        open(scope, false);
    }

    private void open(TraceScope scope, boolean withPayloads) {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .patternSlots(16)
                        .patterns(4)
                        .runSlots(2)
                        .fifoSlots(4)
                        .dimensions());
        engines.trace(0, ring, scope, withPayloads);
        context = engines.context(0);
        window = engines.client(0).window(256);
        final Window peerWindow = engines.client(1).window(256);
        final ReceptionCounter peerCounter = engines.client(1).receptionCounter(peerWindow, 0, 256);
        engines.client(1).publish("in", peerCounter);
        target = context.attach(1, "in", Deadline.in(30, SECONDS));
        poll();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldTraceEachDescriptorOnceInTheOrderOfThePositions() {
        open(TraceScope.ALL);
        for (int i = 0; i < 10; i++) {
            context.put(target, 0, window, 0, 8L * (i + 1));
            if (i % 3 == 2) {
                engines.settle();
            }
        }
        engines.settle();

        assertThat(poll())
                .containsExactly(
                        "put 8", "put 16", "put 24", "put 32", "put 40", "put 48", "put 56", "put 64", "put 72",
                        "put 80");
    }

    @Test
    void shouldTraceARefusedDescriptorWithItsReasonInItsPlace() {
        open(TraceScope.ALL);
        final ReceptionCounter closed =
                engines.client(1).receptionCounter(engines.client(1).window(64), 0, 64);
        engines.client(1).publish("closed", closed);
        final Target toClosed = context.attach(1, "closed", Deadline.in(30, SECONDS));
        closed.disable();
        poll();
        context.put(target, 0, window, 0, 8);
        context.put(toClosed, 0, window, 0, 16);
        context.put(target, 0, window, 0, 24);
        engines.settle();

        assertThat(poll()).containsExactly("put 8", "refused put 16 " + Refusal.COUNTER_DISABLED.code(), "put 24");
    }

    @Test
    void shouldTraceASectionBeforeItsFirstReplayAndThenRoundsAlone() {
        open(TraceScope.PATTERN);
        context.put(target, 0, window, 0, 100);
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.put(target, 0, window, 0, 8);
            context.put(target, 0, window, 0, 16);
        });
        replay(pattern, 3);

        assertThat(poll()).containsExactly("section -1 put 8 put 16", "round 1", "round 2", "round 3");
    }

    @Test
    void shouldTraceTheSectionOfAnotherPatternInTheSameSlots() {
        open(TraceScope.ALL);
        final Pattern first = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 8));
        replay(first, 1);
        first.close();
        engines.settle();
        final Pattern second = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 16));
        second.close();
        final Pattern third = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 24));
        replay(third, 2);

        assertThat(poll()).containsExactly("section -1 put 8", "round 1", "section -3 put 24", "round 1", "round 2");
    }

    @Test
    void shouldMarkARoundWhoseSectionFoundNoRoomAndTraceTheSectionLater() {
        open(TraceScope.ALL);
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            for (int length = 8; length <= 32; length += 8) {
                context.put(target, 0, window, 0, length);
            }
        });
        int at = ring.claim(TraceRecord.HEADER_LENGTH);
        while (at != TraceRing.NO_ROOM) {
            ring.commit(at);
            at = ring.claim(TraceRecord.HEADER_LENGTH);
        }
        // Room for the record of the loss and for that of the round, but not for the section.
        ring.poll((type, buffer, index, length) -> {}, 3);
        replay(pattern, 1);
        assertThat(poll()).containsExactly("unknown round 1");
        replay(pattern, 1);

        assertThat(poll()).containsExactly("section -1 put 8 put 16 put 24 put 32", "round 2");
    }

    @Test
    void shouldTraceARecordingDescriptorByDescriptor() {
        open(TraceScope.PATTERN);
        final Pattern pattern =
                context.record(ID, Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 8));
        engines.settle();
        replay(pattern, 1);

        assertThat(poll()).containsExactly("put 8", "recorded round 1", "section 7 put 8", "round 2");
    }

    @Test
    void shouldTraceThePayloadsOfDescriptorsAndOfEachRound() {
        open(TraceScope.ALL, true);
        window.buffer().putLong(0, 11);
        context.put(target, 0, window, 0, 8);
        context.put(target, 0, window, 0, 8);
        engines.settle();
        assertThat(poll()).containsExactly("payload 0 11", "put 8", "payload 1 11", "put 8");

        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 8));
        window.buffer().putLong(0, 12);
        replay(pattern, 1);
        window.buffer().putLong(0, 13);
        replay(pattern, 1);
        assertThat(poll()).containsExactly("section -1 put 8", "payload 0 12", "round 1", "payload 0 13", "round 2");
    }

    private void replay(Pattern pattern, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(context.replay(pattern)).isPositive();
            engines.settle();
        }
    }

    /** Returns the trace since the last call, as text. */
    private List<String> poll() {
        final List<String> texts = new ArrayList<>();
        ring.poll((type, buffer, index, length) -> add(texts, buffer, index, length), Integer.MAX_VALUE);
        return texts;
    }

    private static void add(List<String> texts, DirectBuffer buffer, int index, int length) {
        final int kind = buffer.getByte(index);
        final boolean isRecording = (buffer.getByte(index + TraceRecord.FLAGS_OFFSET) & TraceRecord.RECORDING) != 0;
        if (kind == TraceRecord.ROUND) {
            final boolean isUnknown =
                    (buffer.getByte(index + TraceRecord.FLAGS_OFFSET) & TraceRecord.UNKNOWN_SECTION) != 0;
            texts.add((isRecording ? "recorded round " : isUnknown ? "unknown round " : "round ")
                    + buffer.getLong(index + TraceRecord.GENERATION_OFFSET));
            return;
        }
        if (kind == TraceRecord.PAYLOAD) {
            texts.add("payload " + buffer.getLong(index + TraceRecord.DESCRIPTORS_OFFSET) + " "
                    + buffer.getLong(index + TraceRecord.HEADER_LENGTH));
            return;
        }
        final List<String> puts = new ArrayList<>();
        for (int at = TraceRecord.HEADER_LENGTH; at < length; at += Descriptor.LENGTH) {
            puts.add("put " + buffer.getLong(index + at + Descriptor.LENGTH_OFFSET));
        }
        switch (kind) {
            case TraceRecord.SECTION ->
                texts.add("section " + buffer.getInt(index + TraceRecord.CODE_OFFSET) + " " + String.join(" ", puts));
            case TraceRecord.REFUSED ->
                texts.add("refused " + puts.get(0) + " " + buffer.getInt(index + TraceRecord.CODE_OFFSET));
            default -> texts.addAll(puts);
        }
    }
}
