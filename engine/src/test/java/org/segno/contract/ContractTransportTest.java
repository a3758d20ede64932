package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.link.LoopTransport;
import org.segno.operation.Message;

/** Jobs of the contract over a transport that is found by its name. */
class ContractTransportTest {
    private static final int ID = 5;

    @ParameterizedTest
    @EnumSource(
            value = Pairing.class,
            names = {"LINKED", "ACROSS"})
    void shouldRunOverATransportThatIsNamed(Pairing pairing) {
        try (ContractJob job = ContractJob.open(pairing, LoopTransport.NAME)) {
            final List<Long> received = ContractJob.noting(job.receiver, ID);
            assertThat(job.engines.link(job.from, job.to).frameLimit())
                    .as("not that of the small links")
                    .isEqualTo(LoopTransport.FRAME_LIMIT);
            job.sender.put(job.in, 0, job.source, 0, 5000, job.done);
            job.sender.send(new Message().to(job.to, ID).payload(job.source, 0, 4));
            job.settle();
            assertThat(job.counter.valueAcquire()).isEqualTo(-5000);
            assertThat(received).containsExactly(4L);
            ContractJob.requireCopied(job.target, 0, 0, 5000);
        }
        assertThatThrownBy(() -> ContractJob.open(pairing, "carrier-pigeon")).hasMessageContaining("carrier-pigeon");
    }
}
