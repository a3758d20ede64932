package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.status.SegnoException;

/** Configuration of a rank from the variables of another launcher. */
class OtherLauncherTest {
    @Test
    void shouldTakeRankAndSizeFromAnotherLauncherAndTheJobsNameFromItsUser() {
        final JobConfig config =
                JobConfig.fromEnvironment(Map.of("PMI_RANK", "2", "PMI_SIZE", "4", "SEGNO_JOB", "halo"));

        assertThat(config.rank()).isEqualTo(2);
        assertThat(config.size()).isEqualTo(4);
        assertThat(config.localRank()).isEqualTo(2);
        assertThat(config.localSize()).isEqualTo(4);
        assertThat(config.jobName()).isEqualTo("halo");
        assertThat(config.launched()).isFalse();
    }

    @Test
    void shouldTakeLocalRanksWhereTheLauncherSetsThem() {
        final JobConfig config = JobConfig.fromEnvironment(Map.of(
                "OMPI_COMM_WORLD_RANK", "5",
                "OMPI_COMM_WORLD_SIZE", "8",
                "OMPI_COMM_WORLD_LOCAL_RANK", "1",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "4",
                "SEGNO_JOB", "halo"));

        assertThat(config.localRank()).isEqualTo(1);
        assertThat(config.localSize()).isEqualTo(4);
    }

    @Test
    void shouldDeriveTheJobsNameWhereItsLauncherHasOneAndKeepItShort() {
        final Map<String, String> step = new HashMap<>(
                Map.of("SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_JOB_ID", "77", "SLURM_STEP_ID", "0"));
        assertThat(JobConfig.fromEnvironment(step).jobName()).isEqualTo("slurm-77-0");

        step.put("PMIX_RANK", "1");
        step.put("PMIX_NAMESPACE", "n".repeat(200));
        assertThat(JobConfig.fromEnvironment(step).jobName()).matches("pmix-n{19}-[0-9a-f]{16}");

        step.put("SEGNO_JOB", "mine");
        assertThat(JobConfig.fromEnvironment(step).jobName()).isEqualTo("mine");
    }

    @Test
    void shouldPutItsOwnVariablesBeforeAllOthers() {
        final JobConfig config = JobConfig.fromEnvironment(
                Map.of("SEGNO_RANK", "3", "SEGNO_SIZE", "4", "SEGNO_JOB", "inner", "PMI_RANK", "0", "PMI_SIZE", "1"));

        assertThat(config.rank()).isEqualTo(3);
        assertThat(config.size()).isEqualTo(4);
    }

    @Test
    void shouldBeAloneUnderALauncherOfOneRankThatNamesNoJob() {
        final JobConfig first = JobConfig.fromEnvironment(Map.of("PMI_RANK", "0", "PMI_SIZE", "1"));

        assertThat(first.size()).isEqualTo(1);
        assertThat(JobConfig.fromEnvironment(Map.of("PMI_RANK", "0", "PMI_SIZE", "1"))
                        .jobName())
                .isNotEqualTo(first.jobName());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PMI_RANK=1 PMI_SIZE=4 | PMI_RANK=1 names no job: set SEGNO_JOB to the same for all ranks of this job",
                "PMIX_RANK=1 PMIX_NAMESPACE=x | PMIX_RANK=1 does not give the size: set SEGNO_SIZE",
                "PMI_RANK=1 PMI_SIZE=4 SEGNO_SIZE=3 SEGNO_JOB=j | disagree about the size: SEGNO_SIZE=3, PMI_SIZE=4",
                "PMI_RANK=4 PMI_SIZE=4 SEGNO_JOB=j | PMI_RANK=4, PMI_SIZE=4",
                "PMI_RANK=1 PMIX_RANK=2 PMI_SIZE=4 SEGNO_JOB=j | the rank: PMIX_RANK=2, PMI_RANK=1"
            })
    void shouldReportTheErrorAndTheRemedy(String assignments, String message) {
        final Map<String, String> variables = new HashMap<>();
        for (final String assignment : assignments.split(" ", -1)) {
            variables.put(assignment.split("=", 2)[0], assignment.split("=", 2)[1]);
        }

        assertThatThrownBy(() -> JobConfig.fromEnvironment(variables))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(message);
    }
}
