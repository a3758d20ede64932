package org.segno.tools;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings that a file holds, one on a line: {@code kill-grace = 2s}, {@code keep = true}; lines that begin with
 * {@code #} are comments.
 */
final class SettingsFile {
    /** No file. */
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
     * @throws CommandException with {@link ExitCode#NOT_FIT} when it cannot be read, or a name in it means nothing.
     */
    static SettingsFile read(Path path) {
        final Properties values = new Properties();
        try (Reader reader = Files.newBufferedReader(path)) {
            values.load(reader);
        } catch (final IOException | IllegalArgumentException e) {
            final String reason = e instanceof NoSuchFileException ? "no such file" : String.valueOf(e.getMessage());
            throw new CommandException(ExitCode.NOT_FIT, "--config " + path + ": " + reason);
        }
        for (final String name : new TreeSet<>(values.stringPropertyNames())) {
            final String variable = Settings.variableOf(name);
            if (!Settings.isOption(variable)) {
                throw new CommandException(
                        ExitCode.NOT_FIT,
                        "--config " + path + ": '" + name + "' is no setting, did you mean "
                                + Settings.nameOf(Settings.nearest(variable)) + "?");
            }
        }
        return new SettingsFile(path, values);
    }

    /** What it sets a name to, null where it does not. */
    @Nullable
    String value(String name) {
        return values.getProperty(name);
    }

    @Override
    public String toString() {
        return "file " + path;
    }
}
