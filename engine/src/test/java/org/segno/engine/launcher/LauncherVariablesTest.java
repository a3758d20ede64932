package org.segno.engine.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LauncherVariablesTest {
    @Test
    void shouldReturnNothingWithoutALauncher() {
        assertThat(LauncherVariables.read(Map.of("PATH", "/bin", "SLURM_NTASKS", "8"))
                        .first(LauncherField.RANK))
                .isEmpty();
    }

    @Test
    void shouldTakeOpenMpisFourNumbers() {
        final LauncherVariables read = read(
                "OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=4");

        assertThat(value(read, LauncherField.RANK)).isEqualTo("5");
        assertThat(value(read, LauncherField.SIZE)).isEqualTo("8");
        assertThat(value(read, LauncherField.LOCAL_RANK)).isEqualTo("1");
        assertThat(value(read, LauncherField.LOCAL_SIZE)).isEqualTo("4");
        assertThat(read.first(LauncherField.JOB)).isEmpty();
    }

    @Test
    void shouldNameTheFirstOfTheFamiliesThatAgree() {
        final LauncherVariables read =
                read("SLURM_PROCID=2 SLURM_NTASKS=4 SLURM_STEP_ID=0 SLURM_JOB_ID=77 PMIX_RANK=2 PMI_RANK=2 PMI_SIZE=4");

        assertThat(read.first(LauncherField.RANK)).hasToString("Optional[PMIX_RANK=2]");
        assertThat(read.first(LauncherField.SIZE)).hasToString("Optional[PMI_SIZE=4]");
    }

    @ParameterizedTest
    @CsvSource({
        "PMIX_RANK=1 OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4, 'the rank: PMIX_RANK=1, OMPI_COMM_WORLD_RANK=2'",
        "PMI_RANK=1 PMI_SIZE=3 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4, 'the size: OMPI_COMM_WORLD_SIZE=4, PMI_SIZE=3'",
        "PMI_RANK=1 PMI_SIZE=4 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=4, 'the rank: PMI_RANK=1, SLURM_PROCID=0'"
    })
    void shouldNameBothValuesWhereTwoDisagree(String variables, String message) {
        assertThatThrownBy(() -> read(variables))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two launchers disagree about " + message)
                .hasMessageContaining("unset the variables of one");
    }

    @ParameterizedTest
    @CsvSource({"''", "SLURM_STEP_ID=4294967291", "SLURM_STEP_ID=4294967290", "SLURM_STEP_ID=batch"})
    void shouldTakeSlurmsVariablesInsideAStepAlone(String step) {
        final String script = "SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_LOCALID=0 SLURM_JOB_ID=77 ";

        assertThat(read(script + step).first(LauncherField.RANK)).isEmpty();
        assertThat(read(script + "SLURM_STEP_ID=3").first(LauncherField.RANK)).isPresent();
    }

    @Test
    void shouldNameAJobOfSlurmByItsStepAndKeepItsLocalRanksOnOneNode() {
        final String step = "SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_LOCALID=3 SLURM_JOB_ID=77 SLURM_STEP_ID=2";
        final LauncherVariables read = read(step + " SLURM_STEP_NUM_NODES=1");

        assertThat(value(read, LauncherField.JOB)).isEqualTo("slurm-77-2");
        assertThat(value(read, LauncherField.LOCAL_RANK)).isEqualTo("3");
        assertThat(value(read, LauncherField.LOCAL_SIZE)).isEqualTo("4");
        assertThat(read(step + " SLURM_STEP_NUM_NODES=2").first(LauncherField.LOCAL_SIZE))
                .isEmpty();
    }

    @Test
    void shouldNameAJobOfPmixByItsNamespaceWithoutMergingTwo() {
        assertThat(value(read("PMIX_RANK=0 PMIX_NAMESPACE=prterun-host-12@1"), LauncherField.JOB))
                .isEqualTo("pmix-prterun-host-12_401");
        assertThat(value(read("PMIX_RANK=0 PMIX_NAMESPACE=a@b"), LauncherField.JOB))
                .isNotEqualTo(value(read("PMIX_RANK=0 PMIX_NAMESPACE=a_b"), LauncherField.JOB));
    }

    @Test
    void shouldNameAVariableThatIsNoNumber() {
        assertThatThrownBy(() -> read("PMI_RANK=one PMI_SIZE=2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PMI_RANK must be a whole number")
                .hasMessageContaining("'one'");
    }

    private static String value(LauncherVariables read, LauncherField field) {
        return read.first(field).orElseThrow().value();
    }

    private static LauncherVariables read(String assignments) {
        final Map<String, String> variables = new HashMap<>();
        for (final String assignment : assignments.split(" ", -1)) {
            final int equals = assignment.indexOf('=');
            if (equals > 0) {
                variables.put(assignment.substring(0, equals), assignment.substring(equals + 1));
            }
        }
        return LauncherVariables.read(variables);
    }
}
