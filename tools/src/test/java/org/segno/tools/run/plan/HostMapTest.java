package org.segno.tools.run.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.segno.tools.process.HostName;

final class HostMapTest {
    @Test
    void shouldFillTheSlotsOfOneHostAfterTheOther() {
        final HostMap map = HostMap.of(JobHost.parse("a:2,b:3"), 4, MapBy.SLOT);

        assertThat(ranks(map)).containsExactly(List.of(0, 1), List.of(2, 3));
        assertThat(map.of(3).name()).isEqualTo("b");
        assertThat(map.of(3).localRank(3)).isEqualTo(1);
        assertThat(map.here().ranks()).isEmpty();
        assertThat(map.isRemote()).isTrue();
    }

    @Test
    void shouldUseEachHostInTurnByNode() {
        final HostMap map = HostMap.of(JobHost.parse("a:1,b:4,c:2"), 6, MapBy.NODE);

        assertThat(ranks(map)).containsExactly(List.of(0), List.of(1, 3, 5), List.of(2, 4));
        assertThat(map.of(5).localRank(5)).isEqualTo(2);
    }

    @Test
    void shouldOmitHostsWithoutRanks() {
        final HostMap map = HostMap.of(JobHost.parse("a:2,b,c"), 2, MapBy.SLOT);

        assertThat(map.hosts()).hasSize(1);
    }

    @Test
    void shouldMergeHostsThatAreNamedTwiceAndTheNamesOfThisHost() {
        final String own = HostName.ofThisHost();
        final HostMap map = HostMap.of(JobHost.parse("a,localhost:2,a:2," + own), 6, MapBy.SLOT);

        assertThat(ranks(map)).containsExactly(List.of(0, 1, 2), List.of(3, 4, 5));
        assertThat(map.here().ranks()).containsExactly(3, 4, 5);
        assertThat(map.remote()).hasSize(1);
    }

    @Test
    void shouldNeedNoRemoteShellForThisHostAlone() {
        final HostMap map = HostMap.of(JobHost.parse("localhost:3"), 3, MapBy.SLOT);

        assertThat(map.isRemote()).isFalse();
        assertThat(map.here().ranks()).containsExactly(0, 1, 2);
    }

    @Test
    void shouldRefuseMoreRanksThanSlots() {
        assertThatThrownBy(() -> HostMap.of(JobHost.parse("a,b"), 4, MapBy.SLOT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("4 ranks on 2 slots of 2 hosts: use -n 2, or give the hosts more slots (a:3)");
    }

    private static List<List<Integer>> ranks(HostMap map) {
        return map.hosts().stream().map(HostRanks::ranks).toList();
    }
}
