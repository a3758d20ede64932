package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CoreMaskTest {
    @Test
    void shouldReadTheCoresOfAProcess() {
        assertThat(CoreMask.of(List.of("Name:\tjava", "Cpus_allowed:\t3", "Cpus_allowed_list:\t0-1")))
                .isEqualTo(BigInteger.valueOf(3));
        assertThat(CoreMask.of(List.of("Cpus_allowed_list:\t0,31,64")))
                .isEqualTo(BigInteger.ONE.setBit(64).setBit(31));
        assertThat(CoreMask.of(List.of("Name:\tjava"))).isZero();
    }

    @Test
    void shouldReadAListOfCores() {
        assertThat(CoreMask.ofList("0-3,8\n")).isEqualTo(BigInteger.valueOf(0b1_0000_1111));
        assertThat(CoreMask.ofList("0\n")).isOne();
        assertThat(Platform.onlineCores().bitCount())
                .isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    void shouldFindCoresOfTheirOwnForProcessesThatAreBoundApart() {
        assertThat(haveOwnCores(1, 0b01, 0b10)).isTrue();
        assertThat(haveOwnCores(2, 0b0011, 0b1100)).isTrue();
        assertThat(haveOwnCores(1, 0b11, 0b11)).isTrue();
        assertThat(haveOwnCores(1, 0b0001, 0b0110, 0b0110, 0b1000)).isTrue();
    }

    @Test
    void shouldFindNoneWhereThreadsOutnumberTheCores() {
        assertThat(haveOwnCores(1, 0b01, 0b01)).isFalse();
        assertThat(haveOwnCores(2, 0b01, 0b10)).isFalse();
        assertThat(haveOwnCores(2, 0b11, 0b11)).isFalse();
        assertThat(haveOwnCores(1, 0b011, 0b110, 0b011, 0b110)).isFalse();
        assertThat(haveOwnCores(1, 0b01, 0b11, 0b10)).isFalse();
        assertThat(haveOwnCores(1, 0b11, 0b01, 0b10)).isFalse();
    }

    @Test
    void shouldNotCountCoresThatOnlyOthersMayUse() {
        assertThat(haveOwnCores(1, 0b0001, 0b0001, 0b1111)).isFalse();
        assertThat(haveOwnCores(1, 0b1111, 0b0001, 0b0001)).isTrue();
    }

    @Test
    void shouldIgnoreProcessesOnOtherCores() {
        assertThat(haveOwnCores(1, 0b001, 0b110, 0b110, 0b110)).isTrue();
    }

    @Test
    void shouldAssumeSharedCoresWhereAProcessIsNotVisible() {
        assertThat(haveOwnCores(1, 0b01, 0b10, 0)).isFalse();
    }

    /** Returns the answer for the first of these processes. */
    private static boolean haveOwnCores(int threads, long... masks) {
        final List<BigInteger> all =
                Arrays.stream(masks).mapToObj(BigInteger::valueOf).toList();
        return CoreMask.haveOwnCores(all.get(0), all, threads);
    }
}
