package org.segno.demo.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerificationTest {
    private final Verification evidence = new Verification();

    @Test
    void shouldCountWhatIsCheckedAndKeepTheFirstComplaint() {
        evidence.same("element", 0, 7, 7);
        evidence.same("element", 1_234, 7, 8);
        evidence.same("element", 2, 7, 9);

        assertThat(evidence.checked()).isEqualTo(3);
        assertThat(evidence.wrong()).isEqualTo(2);
        assertThat(evidence.first()).isEqualTo("element 1,234 is 8, expected 7");
    }

    @Test
    void shouldAcceptWhatIsCloseAndRefuseWhatIsNoNumber() {
        evidence.close("value", 0, 1, 1 + 1e-13, 1e-12);
        assertThat(evidence.wrong()).isZero();
        assertThat(evidence.difference()).isBetween(0.9e-13, 1.1e-13);

        evidence.close("value", 1, 1, 1.1, 1e-12);
        evidence.close("value", 2, 1, Double.NaN, 1e-12);
        assertThat(evidence.wrong()).isEqualTo(2);
        assertThat(evidence.difference()).isLessThan(1e-12);
    }

    @Test
    void shouldNameTheRankThatComplainedFirst() {
        final Verification all = new Verification();
        evidence.same("element", 3, 1, 2);
        all.add(0, new Verification());
        all.add(1, evidence);
        all.add(2, evidence);

        assertThat(all.wrong()).isEqualTo(2);
        assertThat(all.first()).isEqualTo("rank 1: element 3 is 2, expected 1");
    }

    @Test
    void shouldNotCallVerifiedWhatNobodyChecked() {
        assertThat(new ComparisonReport("spikes", "none", 1, 1, evidence, 1, List.of()).problem())
                .isEqualTo("nothing was checked");
    }
}
