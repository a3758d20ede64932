package org.segno.tools.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Texts of Linux on a host with two memory nodes. */
final class RankPlaceTest {
    private static final Pattern FILE = Pattern.compile(".*/segno-me-halo-0123456789abcdef/node-0");
    private static final String PATH = "/dev/shm/segno-me-halo-0123456789abcdef/node-";
    private static final String ESCAPED = "file=" + PATH;

    @Test
    void shouldAddUpThePagesOfTheFileAlone() {
        final List<String> maps = List.of(
                "7f0000000000-7f0000003000 rw-s 00000000 00:19 42                         " + PATH + "0 (deleted)",
                "7f0000003000-7f0000403000 rw-s 00003000 00:19 42                         " + PATH + "0 (deleted)",
                "7f0000500000-7f0000503000 r--s 00000000 00:19 43                         " + PATH + "1 (deleted)",
                "7f0000600000-7f0000700000 rw-p 00000000 00:00 0 ",
                "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]");
        final List<String> numaMaps = List.of(
                "7f0000000000 default " + ESCAPED + "0\\040(deleted) dirty=3 mapmax=2 N0=2 N1=1 kernelpagesize_kB=4",
                "7f0000003000 default " + ESCAPED + "0\\040(deleted) dirty=2 N1=2 kernelpagesize_kB=2048",
                "7f0000500000 default " + ESCAPED + "1\\040(deleted) dirty=3 N0=3 kernelpagesize_kB=4",
                "7f0000600000 default anon=5 dirty=5 N0=5 kernelpagesize_kB=4",
                "7ffc00000000 default stack anon=3 dirty=3 N1=3 kernelpagesize_kB=4");

        assertThat(RankPlace.bytes(maps, numaMaps, FILE)).isEqualTo(Map.of(0, 2L * 4096, 1, 4096L + 2 * 2_097_152));
    }

    @Test
    void shouldCountAFileOnceThatAProcessHasMappedTwice() {
        final List<String> maps = List.of(
                "7f0000000000-7f0000002000 r--s 00000000 00:19 42 " + PATH + "0",
                "7f0000002000-7f0000006000 rw-s 00002000 00:19 42 " + PATH + "0",
                "7f0000010000-7f0000016000 rw-s 00000000 00:19 42 " + PATH + "0");
        final List<String> numaMaps = List.of(
                "7f0000000000 default " + ESCAPED + "0 mapped=2 N1=2 kernelpagesize_kB=4",
                "7f0000002000 default " + ESCAPED + "0 mapped=4 N1=4 kernelpagesize_kB=4",
                "7f0000010000 default " + ESCAPED + "0 mapped=6 N1=6 kernelpagesize_kB=4");

        assertThat(RankPlace.bytes(maps, numaMaps, FILE)).isEqualTo(Map.of(1, 6L * 4096));
    }

    @Test
    void shouldBeEmptyWhereTheKernelShowsNoMemoryNodes() {
        final List<String> maps = List.of("7f0000000000-7f0000002000 rw-s 00000000 00:19 42 " + PATH + "0");

        assertThat(RankPlace.bytes(maps, List.of(), FILE)).isEmpty();
        assertThat(RankPlace.bytes(List.of(), List.of("7f0000000000 default"), FILE))
                .isEmpty();
    }

    @Test
    void shouldReadTheCoresOfAProcess() {
        assertThat(RankPlace.cores(List.of("Name:\tjava", "Cpus_allowed:\tff", "Cpus_allowed_list:\t0-3,8")))
                .isEqualTo("0-3,8");
        assertThat(RankPlace.cores(List.of())).isEmpty();
    }
}
