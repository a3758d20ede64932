package org.segno.tools;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.SettingNames;
import org.segno.engine.job.Spelling;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * Settings read from a file, one per line: {@code kill-grace = 2s}, {@code keep = true}. Lines that begin with {@code
 * #} are comments.
 */
final class SettingsFile {
    /** Settings of no file. */
    static final SettingsFile NONE = new SettingsFile(Path.of(""), new Properties());

    private final Path path;
    private final Properties values;

    private SettingsFile(Path path, Properties values) {
        this.path = path;
        this.values = values;
    }

    /**
     * Reads {@code path}.
     *
     * @throws CommandException with {@link ExitCode#NOT_FIT} if it cannot be read or contains an unknown name
     */
    static SettingsFile read(Path path) {
        final Properties values = new Properties();
        int number = 0;
        for (final String line : lines(path)) {
            number++;
            final String place = "--config " + path + ", line " + number + ": ";
            final Properties one = properties(line, place);
            for (final String name : one.stringPropertyNames()) {
                if (!SettingNames.ofOptions().contains(name)) {
                    final String meant = Spelling.nearest(name, SettingNames.ofOptions())
                            .map(near -> ", did you mean " + near + "?")
                            .orElse("; 'segno info --config' lists all");
                    throw new CommandException(ExitCode.NOT_FIT, place + "'" + name + "' is not a setting" + meant);
                }
                if (values.setProperty(name, one.getProperty(name)) != null) {
                    throw new CommandException(
                            ExitCode.NOT_FIT, place + "'" + name + "' is set twice: remove one of the two lines");
                }
            }
        }
        return new SettingsFile(path, values);
    }

    private static List<String> lines(Path path) {
        try {
            return Files.readAllLines(path);
        } catch (final NoSuchFileException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--config " + path + ": no such file");
        } catch (final CharacterCodingException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--config " + path + ": is not UTF-8 text");
        } catch (final IOException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--config " + path + ": " + e.getMessage());
        }
    }

    /** Returns the setting on one line, or no properties if there is none. */
    private static Properties properties(String line, String place) {
        final Properties one = new Properties();
        try {
            one.load(new StringReader(line));
        } catch (final IOException | IllegalArgumentException e) {
            throw new CommandException(ExitCode.NOT_FIT, place + e.getMessage());
        }
        return one;
    }

    /** Returns the value of a name, or null if the file does not set it. */
    @Nullable
    String value(String name) {
        return values.getProperty(name);
    }

    @Override
    public String toString() {
        return "file " + path;
    }
}
