package org.segno.tools.run.plan;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
        final List<String> lines = lines(file);
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

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (final NoSuchFileException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--hostfile " + file + ": no such file");
        } catch (final CharacterCodingException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--hostfile " + file + ": is not UTF-8 text");
        } catch (final IOException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--hostfile " + file + ": " + e.getMessage());
        }
    }

    private static JobHost host(String line) {
        final String[] words = line.split("\\s+", -1);
        int slots = JobHost.DEFAULT_SLOTS;
        for (int index = 1; index < words.length; index++) {
            if (index > 1) {
                throw new IllegalArgumentException("after slots=N a line takes nothing more: '" + words[index] + "'");
            }
            final String number = words[index].startsWith(SLOTS) ? words[index].substring(SLOTS.length()) : "";
            if (!number.matches(SLOTS_FORM)) {
                throw new IllegalArgumentException("after the name a line takes slots=N: '" + words[index] + "'");
            }
            slots = Integer.parseInt(number);
        }
        return new JobHost(words[0], slots);
    }
}
