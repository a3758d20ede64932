package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Nodes in processes with a umask that removes permissions of their own user. Root drops its right to ignore
 * permissions.
 */
class UmaskJoinTest {
    private static final String SETPRIV = "setpriv --bounding-set=-dac_override,-dac_read_search ";

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @ValueSource(strings = {"0177", "0777"})
    void shouldJoinAndExchangeUnderAnyUmask(String umask) {
        final List<String> prefix = List.of(
                "sh",
                "-c",
                "umask " + umask + "; " + SETPRIV + "true 2>/dev/null && exec " + SETPRIV + "\"$@\"; exec \"$@\"",
                "sh");
        final JobConfig job = pool.job("umask", 2);
        final TestProcess first = pool.startBehind(prefix, RingExchange.class, job, Threading.INVOKER, 0, 3, "leave");
        final TestProcess second = pool.startBehind(prefix, RingExchange.class, job, Threading.INVOKER, 1, 3, "leave");

        assertThat(first.expect("exchanged")).isEmpty();
        assertThat(second.expect("exchanged")).isEmpty();
        first.awaitEnd();
        second.awaitEnd();
    }
}
