package org.segno.tools.run.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/** A file of hosts: one per line, {@code user@name slots=N}; {@code #} begins a comment. */
public final class HostFile {
    private static final String SLOTS = "slots=";
    private static final String SLOTS_FORM = "[0-9]{1,9}";

    private HostFile() {}

    /**
     * Reads the hosts.
     *
     * @throws CommandException with {@link ExitCode#NOT_FIT} if the file cannot be read, is malformed, or has no host;
     *     the message contains the line.
     */
    public static List<JobHost> read(Path file) {
        final List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (final IOException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--hostfile cannot be read: " + e);
        }
        final List<JobHost> hosts = new ArrayList<>();
        for (int index = 0; index < lines.size(); index++) {
            final String line = lines.get(index).replaceFirst("#.*", "").trim();
            if (!line.isEmpty()) {
                try {
                    hosts.add(host(line));
                } catch (final IllegalArgumentException e) {
                    throw new CommandException(
                            ExitCode.NOT_FIT, "--hostfile " + file + ", line " + (index + 1) + ": " + e.getMessage());
                }
            }
        }
        if (hosts.isEmpty()) {
            throw new CommandException(ExitCode.NOT_FIT, "--hostfile " + file + " has no host: give 'name slots=N'");
        }
        return hosts;
    }

    private static JobHost host(String line) {
        final String[] words = line.split("\\s+", -1);
        int slots = JobHost.DEFAULT_SLOTS;
        for (int index = 1; index < words.length; index++) {
            final String number = words[index].startsWith(SLOTS) ? words[index].substring(SLOTS.length()) : "";
            if (!number.matches(SLOTS_FORM)) {
                throw new IllegalArgumentException("after the name a line takes slots=N: '" + words[index] + "'");
            }
            slots = Integer.parseInt(number);
        }
        return new JobHost(words[0], slots);
    }
}
