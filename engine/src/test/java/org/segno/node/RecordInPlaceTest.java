package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.engine.memory.NodeMemory;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Deadline;

/** The place of a loaned record's bytes: under INVOKER the peer's lane, where the handler reads them, else not yet. */
class RecordInPlaceTest {
    private static final int ID = 7;
    private static final int LENGTH = 200;
    private static final long WORD = 0x5E60_0000_7EC0_4D11L;

    @TempDir
    Path parent;

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldWriteIntoTheLaneWhereThisThreadRunsTheEngine(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(threading, 2))) {
            final NodeMemory there = job.node(1).memory();
            final int bytes = there.layout().dimensions().laneBytes();
            final AtomicBuffer lane = there.peers().buffer(there.laneOffset(0, there.lane(0, 0)), bytes);
            final List<Long> read = new ArrayList<>();
            job.context(1).handler(ID, (origin, buffer, metadata, metadataLength, payload, length) -> {
                assertThat(length).isEqualTo(LENGTH);
                read.add(buffer.addressOffset() + payload - lane.addressOffset());
            });
            final Context context = job.context(0);
            final Loan loan = context.loan();
            assertThat(loan.claim(new Message().to(1, ID), LENGTH)).isZero();
            for (int at = 0; at < LENGTH; at += Long.BYTES) {
                loan.buffer().putLong(at, WORD + at);
            }

            final List<Long> written = places(lane, WORD);
            assertThat(written).hasSize(threading == Threading.INVOKER ? 1 : 0);
            assertThat(places(lane, WORD + LENGTH - Long.BYTES)).hasSameSizeAs(written);
            assertThat(loan.publish()).isNotNegative();
            final long deadlineNs = InProcessJob.deadline();
            while (read.isEmpty() && !Deadline.reached(deadlineNs)) {
                job.settle();
            }
            assertThat(read).hasSize(1).containsAll(written);
        }
    }

    /** Returns the places of a word in a lane. */
    private static List<Long> places(AtomicBuffer lane, long word) {
        final List<Long> places = new ArrayList<>();
        for (int at = 0; at < lane.capacity(); at += Long.BYTES) {
            if (lane.getLong(at) == word) {
                places.add((long) at);
            }
        }
        return places;
    }
}
