package org.segno.tools.run.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.segno.engine.job.SettingNames;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.node.JobEnvironment;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * Plan of the journal of a job.
 *
 * @param scope part of the traffic
 * @param directory directory of the journal, absolute
 * @param withPayloads true to store the payloads of messages too
 * @param ringBytes capacity of the ring of each engine in bytes
 * @param sync interval at which stored records are forced to the storage device
 */
public record JournalPlan(TraceScope scope, Path directory, boolean withPayloads, int ringBytes, Duration sync) {
    /** Default of the interval. */
    public static final Duration DEFAULT_SYNC = Duration.ofSeconds(1);

    /**
     * Parses a scope and a directory.
     *
     * @param text {@code all=DIR} or {@code pattern=DIR}
     * @throws IllegalArgumentException if the text is neither; the message contains the option
     */
    public static JournalPlan of(String text, boolean withPayloads, long ringBytes, Duration sync) {
        final int equals = text.indexOf('=');
        final String word = text.substring(0, Math.max(0, equals)).toLowerCase(Locale.ROOT);
        if (equals == text.length() - 1 || !(word.equals("all") || word.equals("pattern"))) {
            throw new IllegalArgumentException("--record must be all=DIR or pattern=DIR: '" + text + "'");
        }
        if (ringBytes < TraceRing.MIN_BYTES || ringBytes > TraceRing.MAX_BYTES || Long.bitCount(ringBytes) != 1) {
            throw new IllegalArgumentException(
                    "--record-ring-bytes must be a power of two from 1m to 1g: " + ringBytes);
        }
        final Path directory =
                Path.of(text.substring(equals + 1)).toAbsolutePath().normalize();
        final TraceScope scope = word.equals("all") ? TraceScope.ALL : TraceScope.PATTERN;
        return new JournalPlan(scope, directory, withPayloads, (int) ringBytes, sync);
    }

    /**
     * Checks that the directory is new or empty.
     *
     * @throws CommandException with {@link ExitCode#NOT_FIT} if it is not
     */
    public void check() {
        try {
            Files.createDirectories(directory);
            try (Stream<Path> found = Files.list(directory)) {
                if (found.findAny().isPresent()) {
                    throw new CommandException(
                            ExitCode.NOT_FIT,
                            "--record needs a new or an empty directory, and this one is not empty: " + directory);
                }
            }
        } catch (final IOException e) {
            throw new CommandException(ExitCode.NOT_FIT, "the directory of --record cannot be created: " + e);
        }
    }

    /** Returns the variables that request the journal from a rank. */
    Map<String, String> variables() {
        final Map<String, String> variables = new LinkedHashMap<>();
        variables.put(SettingNames.variable("record"), scope.name().toLowerCase(Locale.ROOT) + "=" + directory);
        variables.put(SettingNames.variable("record-payload"), Boolean.toString(withPayloads));
        variables.put(SettingNames.variable("record-ring-bytes"), Integer.toString(ringBytes));
        variables.put(SettingNames.variable("record-sync"), JobEnvironment.format(sync));
        return variables;
    }
}
