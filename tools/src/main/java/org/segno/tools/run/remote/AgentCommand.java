package org.segno.tools.run.remote;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.process.ShellWords;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Java;
import org.segno.tools.run.plan.HostRanks;

/** The command that runs the agent of a host: {@code ssh b …/tools/bin/segno host}. */
public final class AgentCommand {
    /** The subcommand of the agent. */
    public static final String NAME = "host";

    private static final String MAIN_CLASS = "org.segno.tools.Segno";

    /** The command, relative to the directory of the executable jar. */
    private static final Path COMMAND = Path.of("../../bin/segno");

    /**
     * A shell between this process and the remote shell. Ctrl-C and the end of a terminal signal all processes of this
     * command. The remote shell must ignore them, because it carries the orders by which the ranks end.
     */
    private static final List<String> SHIELD = List.of("sh", "-c", "trap '' INT HUP; exec \"$@\"", "segno");

    private AgentCommand() {}

    /** Returns the words of the remote shell with those of the agent. */
    static List<String> words(List<String> remoteShell, HostRanks host) {
        final List<String> words = new ArrayList<>(remoteShell);
        words.add(host.shellName());
        words.addAll(agent());
        return words;
    }

    /** Returns the words with those that keep signals of the terminal away from them. */
    static List<String> shielded(List<String> words) {
        final List<String> all = new ArrayList<>(SHIELD);
        all.addAll(words);
        return all;
    }

    /**
     * Returns the words of the agent: this installation's command, under the path that it has here. Outside an
     * installation, as in a test, the words of a JVM with the class path of this one.
     */
    private static List<String> agent() {
        final String classPath = ClassPath.ofSegno();
        final Path directory = Path.of(classPath).getParent();
        final Path command =
                directory == null ? COMMAND : directory.resolve(COMMAND).normalize();
        final List<String> words = new ArrayList<>();
        if (classPath.endsWith(".jar") && Files.isExecutable(command)) {
            words.add(command.toString());
        } else {
            words.add(Java.own().executable().toString());
            words.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
            words.add("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");
            words.addAll(List.of("-cp", classPath, MAIN_CLASS));
        }
        words.add(NAME);
        for (final String word : words) {
            // A remote shell such as ssh passes the words to a shell, others do not: no quoting is right for both.
            if (!ShellWords.quote(word).equals(word)) {
                throw new CommandException(
                        ExitCode.NOT_FIT,
                        "the path of segno has characters that the shell of another host would change: " + word
                                + "; move it to a path of letters, digits and ./_-");
            }
        }
        return words;
    }
}
