package org.segno.engine.launcher;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reader of the variables that other launchers set for their processes. Immutable; any thread may use it.
 *
 * <p>Several families of variables may be present at once, as under {@code srun --mpi=pmix}. For each fact the first
 * one in the order below is taken, and all others must be equal to it.
 *
 * <pre>
 *  family    rank                  size                  local rank, local size             the job's name
 *  PMIx      PMIX_RANK             -                     -                                  PMIX_NAMESPACE
 *  Open MPI  OMPI_COMM_WORLD_RANK  OMPI_COMM_WORLD_SIZE  OMPI_COMM_WORLD_LOCAL_RANK, _SIZE  -
 *  PMI       PMI_RANK              PMI_SIZE              -                                  -
 *  Slurm     SLURM_PROCID          SLURM_NTASKS          SLURM_LOCALID; size on one node    SLURM_JOB_ID, SLURM_STEP_ID
 * </pre>
 *
 * <p>A namespace of PMIx and a step of Slurm are unique by the specifications of these systems. The other families do
 * not name the job, so the user must name it. Slurm's variables count only inside a step: a batch script and the shell
 * of an allocation have them too, and are not ranks.
 */
public final class LauncherVariables {
    /**
     * Lowest step id of Slurm for steps without ranks, such as a batch script. Slurm numbers these downwards from 2^32.
     */
    private static final long SLURM_SPECIAL_STEPS = 0xffff_fff0L;

    private static final String SLURM_STEP = "SLURM_STEP_ID";
    private static final String SLURM_SIZE = "SLURM_NTASKS";

    private final Map<LauncherField, List<Variable>> variables = new EnumMap<>(LauncherField.class);

    private LauncherVariables() {}

    /**
     * Value of one fact in one variable.
     *
     * @param variable name of the variable
     * @param value its value, without surrounding spaces
     */
    public record Variable(String variable, String value) {
        @Override
        public String toString() {
            return variable + "=" + value;
        }
    }

    /**
     * Reads all families.
     *
     * @param variables variables of the process, by name
     * @return their facts; none if no other launcher started the process
     * @throws IllegalArgumentException if a variable is malformed, or two disagree; the message has their names and
     *     values
     */
    public static LauncherVariables read(Map<String, String> variables) {
        final LauncherVariables read = new LauncherVariables();
        read.number(variables, LauncherField.RANK, "PMIX_RANK");
        read.number(variables, LauncherField.RANK, "OMPI_COMM_WORLD_RANK");
        read.number(variables, LauncherField.SIZE, "OMPI_COMM_WORLD_SIZE");
        read.number(variables, LauncherField.LOCAL_RANK, "OMPI_COMM_WORLD_LOCAL_RANK");
        read.number(variables, LauncherField.LOCAL_SIZE, "OMPI_COMM_WORLD_LOCAL_SIZE");
        read.number(variables, LauncherField.RANK, "PMI_RANK");
        read.number(variables, LauncherField.SIZE, "PMI_SIZE");
        if (variables.containsKey("PMIX_RANK")) {
            read.job(variables, "PMIX_NAMESPACE", "pmix-");
        }
        if (isInSlurmStep(variables)) {
            read.slurm(variables);
        }
        read.variables.forEach(LauncherVariables::requireAgreement);
        return read;
    }

    private static boolean isInSlurmStep(Map<String, String> variables) {
        try {
            return Long.parseLong(variables.getOrDefault(SLURM_STEP, "").trim()) < SLURM_SPECIAL_STEPS;
        } catch (NumberFormatException ignored) {
            // The variable is unset or not a number: this is not a step that Slurm has numbered.
            return false;
        }
    }

    private void slurm(Map<String, String> variables) {
        number(variables, LauncherField.RANK, "SLURM_PROCID");
        number(variables, LauncherField.SIZE, SLURM_SIZE);
        final String nodes =
                variables.getOrDefault("SLURM_STEP_NUM_NODES", variables.getOrDefault("SLURM_NNODES", "1"));
        if (nodes.trim().equals("1") && variables.containsKey(SLURM_SIZE)) {
            number(variables, LauncherField.LOCAL_RANK, "SLURM_LOCALID");
            if (variables.containsKey("SLURM_LOCALID")) {
                number(variables, LauncherField.LOCAL_SIZE, SLURM_SIZE);
            }
        }
        final String job = variables.getOrDefault("SLURM_JOB_ID", "").trim();
        if (!job.isEmpty()) {
            add(LauncherField.JOB, "SLURM_JOB_ID", plain("slurm-" + job + "-" + variables.get(SLURM_STEP)));
        }
    }

    private void number(Map<String, String> variables, LauncherField field, String name) {
        final String value = variables.getOrDefault(name, "").trim();
        if (value.isEmpty()) {
            return;
        }
        try {
            add(field, name, Integer.toString(Integer.parseUnsignedInt(value)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    name + " must be a whole number: '" + value + "'; unset it unless a launcher set it", e);
        }
    }

    private void job(Map<String, String> variables, String name, String prefix) {
        final String value = variables.getOrDefault(name, "").trim();
        if (!value.isEmpty()) {
            add(LauncherField.JOB, name, plain(prefix + value));
        }
    }

    private void add(LauncherField field, String variable, String value) {
        variables.computeIfAbsent(field, unused -> new ArrayList<>()).add(new Variable(variable, value));
    }

    /**
     * Returns a valid job name. A job's name allows fewer characters than those of other launchers. The others are
     * written as hexadecimal numbers, so that distinct names stay distinct.
     */
    private static String plain(String name) {
        final StringBuilder plain = new StringBuilder();
        name.trim().chars().forEach(letter -> {
            if (letter < 0x80 && (Character.isLetterOrDigit(letter) || letter == '-' || letter == '.')) {
                plain.append((char) letter);
            } else {
                plain.append('_').append(Integer.toHexString(letter));
            }
        });
        return plain.toString();
    }

    private static void requireAgreement(LauncherField field, List<Variable> all) {
        final Variable first = all.get(0);
        for (final Variable other : all) {
            if (field != LauncherField.JOB && !other.value.equals(first.value)) {
                throw new IllegalArgumentException("two launchers disagree about " + field + ": " + first + ", " + other
                        + "; unset the variables of one, or set SEGNO_RANK, SEGNO_SIZE and SEGNO_JOB,"
                        + " which override both");
            }
        }
    }

    /** Returns true if no other launcher has provided the rank or the size. */
    public boolean isEmpty() {
        return !variables.containsKey(LauncherField.RANK) && !variables.containsKey(LauncherField.SIZE);
    }

    /** Returns the first variable of a fact, with its value. */
    public Optional<Variable> first(LauncherField field) {
        return Optional.ofNullable(variables.get(field)).map(all -> all.get(0));
    }
}
