package org.segno.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class LinkNetworkTest {
    private static final LinkNetwork NAMESPACES =
            LinkNetwork.between(List.of("a=10.77.0.2", "b=10.77.0.3"), List.of(1472));

    @Test
    void shouldPassItselfOnByAnOptionOfTheWorkers() {
        for (final LinkNetwork network : List.of(LinkNetwork.LOOPBACK, NAMESPACES)) {
            final String[] option = network.option().substring("-D".length()).split("=", 2);
            System.setProperty(option[0], option[1]);
            try {
                assertThat(LinkNetwork.ofThisProcess()).isEqualTo(network);
            } finally {
                System.clearProperty(option[0]);
            }
        }
        assertThat(LinkNetwork.ofThisProcess()).isEqualTo(LinkNetwork.LOOPBACK);
    }

    @Test
    void shouldStartEachWorkerInItsNamespace() {
        assertThat(NAMESPACES.entry(Role.ECHO)).containsExactly("ip", "netns", "exec", "b");
        assertThat(NAMESPACES.address(Role.ORIGIN)).isEqualTo("10.77.0.2");
        assertThat(NAMESPACES.isBetweenNamespaces()).isTrue();
        assertThat(LinkNetwork.LOOPBACK.entry(Role.ECHO)).isEmpty();
        assertThat(LinkNetwork.LOOPBACK.longestMtu()).isEqualTo(65_504);
    }

    @Test
    void shouldRefuseOneEndAloneAndLengthsThatAeronDoesNotSend() {
        assertThatThrownBy(() -> LinkNetwork.between(List.of("a=10.77.0.2"), List.of(1472)))
                .hasMessageContaining("two namespaces and their addresses are needed");
        assertThatThrownBy(() -> LinkNetwork.between(List.of("a", "b=10.77.0.3"), List.of(1472)))
                .hasMessageContaining("[a, b=10.77.0.3]");
        assertThatThrownBy(() -> LinkNetwork.between(List.of("a=10.77.0.2", "b=10.77.0.3"), List.of(1500)))
                .hasMessageContaining("must be multiples of 32");
    }
}
