package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Members of a geometry by host. */
class MemberHostsTest {
    @Test
    void shouldNameTheFirstMemberOfEachHostItsLeader() {
        final Hosts hosts = Hosts.of(7, 7, 3, 7, 3);
        assertThat(hosts.leaders()).containsExactly(0, 2);
        assertThat(hosts.leader(3)).isZero();
        assertThat(hosts.leader(4)).isEqualTo(2);
        assertThat(hosts.beside(1)).containsExactly(0, 1, 3);
        assertThat(hosts.beside(2)).containsExactly(2, 4);
        assertThat(hosts.areMixed()).isTrue();
        assertThat(hosts.areContiguous()).isFalse();
    }

    @Test
    void shouldBeMixedOnlyWithSeveralHostsOfWhichOneHasSeveralMembers() {
        assertThat(Hosts.one(3).areMixed()).isFalse();
        assertThat(Hosts.of(1, 2, 3).areMixed()).isFalse();
        assertThat(Hosts.of(1, 1, 2).areMixed()).isTrue();
        assertThat(Hosts.of(1, 1, 2).areContiguous()).isTrue();
    }

    @Test
    void shouldFollowTheOrderOfChosenMembers() {
        final Hosts chosen = Hosts.of(7, 7, 3, 7, 3).of(List.of(4, 2, 3), 3);
        assertThat(chosen.leaders()).containsExactly(0, 2);
        assertThat(chosen.beside(1)).containsExactly(0, 1);
        assertThat(chosen.areContiguous()).isTrue();
    }
}
