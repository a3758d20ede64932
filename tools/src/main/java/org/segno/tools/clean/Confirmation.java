package org.segno.tools.clean;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.Console;
import org.segno.tools.command.Terminal;

/** Question to the user at the terminal, answered by a line that begins with {@code y}. */
interface Confirmation {
    /** Returns true if the user agrees. Returns false without a question if there is no terminal. */
    boolean isGiven(String question);

    /** Returns true if there is a terminal, so that the user can be asked. */
    boolean isPossible();

    /** Returns the question on standard error, with its answer from standard input. */
    static Confirmation atTerminal() {
        return new Confirmation() {
            @Override
            public boolean isPossible() {
                return Terminal.standardInputIsTerminal() && Terminal.standardErrorIsTerminal();
            }

            @Override
            public boolean isGiven(String question) {
                final PrintStream error = new PrintStream(System.err, true, StandardCharsets.UTF_8);
                return isPossible() && isYes(question, error);
            }
        };
    }

    private static boolean isYes(String question, PrintStream error) {
        error.print(Console.PREFIX + question + " [y/N] ");
        error.flush();
        try {
            final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            final @Nullable String line = lines.readLine();
            return line != null && line.trim().toLowerCase(Locale.ROOT).startsWith("y");
        } catch (final IOException ignored) {
            // The terminal is gone: nobody has agreed.
            return false;
        }
    }
}
