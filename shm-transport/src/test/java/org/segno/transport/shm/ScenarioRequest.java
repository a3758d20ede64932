package org.segno.transport.shm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Request that a test writes to a process as one line: the scenario and the ranks that run it.
 *
 * @param scenario class of the {@link Scenario}
 * @param ranks ranks of the job in the process
 * @param threading threading of their engines
 * @param job configuration of any rank of the job
 * @param arguments arguments of the scenario
 */
record ScenarioRequest(
        String scenario, List<Integer> ranks, Threading threading, JobConfig job, List<String> arguments) {
    private static final String SEPARATOR = "\t";
    private static final int FIRST_VARIABLE = 4;

    /** Returns the job's configuration for each rank. */
    List<JobConfig> jobs() {
        return ranks.stream().map(job::withRank).toList();
    }

    String line() {
        final Map<String, String> variables = job.toEnvironment();
        final List<String> words = new ArrayList<>(List.of(
                scenario,
                ranks.stream().map(String::valueOf).collect(Collectors.joining(",")),
                threading.name(),
                Integer.toString(variables.size())));
        variables.forEach((name, value) -> words.add(name + "=" + value));
        words.addAll(arguments);
        return String.join(SEPARATOR, words);
    }

    static ScenarioRequest of(String line) {
        final List<String> words = Arrays.asList(line.split(SEPARATOR, -1));
        final int firstArgument = FIRST_VARIABLE + Integer.parseInt(words.get(FIRST_VARIABLE - 1));
        final Map<String, String> variables = new HashMap<>();
        for (final String word : words.subList(FIRST_VARIABLE, firstArgument)) {
            variables.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
        }
        return new ScenarioRequest(
                words.get(0),
                Arrays.stream(words.get(1).split(",", -1)).map(Integer::valueOf).toList(),
                Threading.valueOf(words.get(2)),
                JobConfig.fromEnvironment(variables),
                List.copyOf(words.subList(firstArgument, words.size())));
    }
}
