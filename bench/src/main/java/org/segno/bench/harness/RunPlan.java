package org.segno.bench.harness;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.segno.bench.experiment.Experiment;

/**
 * Plan of a run, the same in the parent and in both workers.
 *
 * @param only pattern that is searched in the names of experiments; an empty pattern selects all
 * @param repetitions rounds over all experiments, at least one
 * @param slices counted slices of an experiment in each round, at least one
 * @param sliceMs intended length of a slice in ms, 1 to 50
 * @param warmUpCalls short slices of each experiment before the counted ones
 */
public record RunPlan(String only, int repetitions, int slices, int sliceMs, int warmUpCalls) {
    private static final int ARGUMENTS = 5;
    private static final int LONGEST_MS = 50;

    /** Maximum number of slices of an experiment: those of all experiments fit into one log of 2 GiB. */
    private static final int MOST_SLICES = 10_000;

    /** Checks the numbers. */
    public RunPlan {
        if (repetitions < 1 || slices < 1 || warmUpCalls < 1) {
            throw new IllegalArgumentException("repetitions, slices and warm-up calls must be at least one: "
                    + repetitions + ", "
                    + slices + ", " + warmUpCalls);
        }
        if ((long) repetitions * slices > MOST_SLICES) {
            throw new IllegalArgumentException("an experiment must have at most " + MOST_SLICES
                    + " slices: --repetitions " + repetitions + " times --slices " + slices);
        }
        if (sliceMs < 1 || sliceMs > LONGEST_MS) {
            throw new IllegalArgumentException(
                    "a slice must be 1 to " + LONGEST_MS + " ms long: --slice-ms " + sliceMs);
        }
    }

    /** Returns the selected experiments, in their order. */
    public List<Experiment> select(List<Experiment> experiments) {
        final Pattern pattern = Pattern.compile(only);
        return experiments.stream()
                .filter(experiment -> pattern.matcher(experiment.name()).find())
                .toList();
    }

    /** Returns the plan of a part of its experiments, which have different names. */
    RunPlan of(List<Experiment> part) {
        final String names = part.stream()
                .map(experiment -> Pattern.quote(experiment.name()))
                .collect(Collectors.joining("|"));
        return new RunPlan("^(?:" + names + ")$", repetitions, slices, sliceMs, warmUpCalls);
    }

    List<String> toArguments() {
        return List.of(
                only,
                Integer.toString(repetitions),
                Integer.toString(slices),
                Integer.toString(sliceMs),
                Integer.toString(warmUpCalls));
    }

    static RunPlan fromArguments(List<String> arguments) {
        if (arguments.size() != ARGUMENTS) {
            throw new IllegalArgumentException("a plan must have " + ARGUMENTS + " arguments: " + arguments);
        }
        return new RunPlan(
                arguments.get(0),
                Integer.parseInt(arguments.get(1)),
                Integer.parseInt(arguments.get(2)),
                Integer.parseInt(arguments.get(3)),
                Integer.parseInt(arguments.get(4)));
    }
}
