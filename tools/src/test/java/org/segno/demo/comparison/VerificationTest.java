package org.segno.demo.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerificationTest {
    private final Verification verification = new Verification();

    @Test
    void shouldCountCheckedValuesAndKeepTheFirstError() {
        verification.checkEqual("element", 0, 7, 7);
        verification.checkEqual("element", 1_234, 7, 8);
        verification.checkEqual("element", 2, 7, 9);

        assertThat(verification.checked()).isEqualTo(3);
        assertThat(verification.wrong()).isEqualTo(2);
        assertThat(verification.firstError()).isEqualTo("element 1,234 is 8, expected 7");
    }

    @Test
    void shouldAcceptCloseValuesAndRejectNaN() {
        verification.checkClose("value", 0, 1, 1 + 1e-13, 1e-12);
        assertThat(verification.wrong()).isZero();
        assertThat(verification.difference()).isBetween(0.9e-13, 1.1e-13);

        verification.checkClose("value", 1, 1, 1.1, 1e-12);
        verification.checkClose("value", 2, 1, Double.NaN, 1e-12);
        assertThat(verification.wrong()).isEqualTo(2);
        assertThat(verification.difference()).isLessThan(1e-12);
    }

    @Test
    void shouldNameTheRankOfTheFirstError() {
        final Verification all = new Verification();
        verification.checkEqual("element", 3, 1, 2);
        all.add(0, new Verification());
        all.add(1, verification);
        all.add(2, verification);

        assertThat(all.wrong()).isEqualTo(2);
        assertThat(all.firstError()).isEqualTo("rank 1: element 3 is 2, expected 1");
    }

    @Test
    void shouldReportAProblemWhenNothingWasChecked() {
        assertThat(new ComparisonReport("spikes", "none", 1, 1, verification, 1, List.of()).problem())
                .isEqualTo("nothing was checked");
    }

    @Test
    void shouldReportTheNumberOfWrongValuesAndTheFirstOfThem() {
        verification.checkEqual("element", 0, 7, 7);
        verification.checkEqual("element", 1, 7, 8);
        final Verification all = new Verification();
        all.add(1, verification);

        final ComparisonReport report = new ComparisonReport("halo4d", "none", 2, 2, all, 1, List.of());
        assertThat(report.problem()).isEqualTo("1 value of 2 wrong: rank 1: element 1 is 8, expected 7");
        assertThat(report.toText()).contains("NOT VERIFIED: 1 value of 2 wrong: rank 1: ");
    }
}
