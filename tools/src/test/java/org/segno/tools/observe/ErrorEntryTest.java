package org.segno.tools.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.observe.ErrorEntry.Log;

final class ErrorEntryTest {
    private final byte[] bytes = new byte[65536];

    @Test
    void shouldReadTheEntriesOfALog() {
        final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes.length));
        final DistinctErrorLog log = new DistinctErrorLog(memory, () -> 1_000, StandardCharsets.UTF_8);
        final IllegalStateException first = new IllegalStateException("first");
        log.record(first);
        log.record(first);
        log.record(new IllegalArgumentException("second"));

        memory.getBytes(0, bytes);
        final Log read = ErrorEntry.parse(bytes);

        assertThat(read.damage()).isEmpty();
        assertThat(read.entries()).extracting(ErrorEntry::count).containsExactly(2, 1);
        assertThat(read.entries().get(0).headline()).endsWith("IllegalStateException: first");
        assertThat(read.entries().get(1).last().toEpochMilli()).isEqualTo(1_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 23, 65537, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldNameAnImpossibleRecord(int length) {
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putInt(0, length);

        assertThat(ErrorEntry.parse(bytes).damage()).contains("offset 0", String.valueOf(length));
    }

    @Test
    void shouldEndForAnyContent() {
        for (int seed = 0; seed < 200; seed++) {
            new Random(seed).nextBytes(bytes);
            assertThat(ErrorEntry.parse(bytes).entries()).as("seed " + seed).hasSizeLessThan(bytes.length);
        }
    }
}
