package org.segno.engine.job;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.segno.status.Deadline;
import org.segno.status.OpenFiles;

/**
 * Functions of the operating system: the identity of the process, the number of cores, and the start, wait and end of
 * threads and processes.
 *
 * <p>The rest of the engine uses the system for these only through this class. Any thread may call it.
 */
public final class Platform {
    private static final String FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");
    private static final Path PROC_SELF = Path.of("/proc/self");
    private static final Path THREAD = Path.of("/proc/thread-self");
    private static final long PID = ProcessHandle.current().pid();
    private static final Path PID_NAMESPACE = Path.of("/proc/self/ns/pid");
    private static final long NAMESPACE_MASK = 0x3FFF_FFFF;
    private static final long PROCESS = pidNamespace() << Integer.SIZE | PID;
    private static final int NOBODY_KNOWN = -1;
    private static final int USER_ID = fileUserId();
    private static final String USER_NAME = userName();
    private static final int START_TIME_FIELD = 19;

    static {
        // While files can be opened: at the limit the file cannot be read.
        OpenFiles.load();
    }

    private Platform() {}

    /**
     * Checks that this JVM lets Agrona access the memory intrinsics. Called before any of Agrona's classes loads,
     * because the load would fail without naming a remedy.
     *
     * @throws IllegalStateException if the flag is missing; the message contains the remedy
     */
    public static void requireFlags() {
        final Module unnamed = Platform.class.getModule();
        if (!Object.class.getModule().isExported("jdk.internal.misc", unnamed)) {
            throw new IllegalStateException("Segno needs the flag " + FLAG + " on the java command line. With Maven:"
                    + " <argLine>" + FLAG
                    + "</argLine> for surefire, or exec:exec with that argument; in an executable jar the"
                    + " manifest line: Add-Exports: java.base/jdk.internal.misc");
        }
    }

    /** Returns the process id, as this process sees it. */
    public static long pid() {
        return PID;
    }

    /**
     * Identifies this process among all of the host. The process id alone does not suffice: in PID namespaces, as
     * containers have them, several processes have the same id.
     *
     * @return the process id in the lower half, a part of the namespace's number in the upper one; below 2<sup>62</sup>
     */
    public static long process() {
        return PROCESS;
    }

    /** Returns the process id, as the process itself sees it, from an identity of {@link #process}. */
    static long pidOf(long process) {
        return process & 0xFFFF_FFFFL;
    }

    /** Returns the number of the PID namespace, or zero if it is not visible: then the process id has to suffice. */
    private static long pidNamespace() {
        try {
            final String name = Files.readSymbolicLink(PID_NAMESPACE).toString();
            return Long.parseLong(name.replaceAll("[^0-9]", "")) & NAMESPACE_MASK;
        } catch (IOException | RuntimeException ignored) {
            return 0;
        }
    }

    /**
     * Returns the start time of a process, so that a reused process id can be distinguished from its first use.
     *
     * @param pid process id
     * @return clock ticks since the system started, or 0 if no such process is visible
     */
    public static long startTime(long pid) {
        try {
            // In a PID namespace that mounts no /proc of its own, this process has another number there.
            final String name = pid == PID ? "self" : Long.toString(pid);
            final String stat = Files.readString(Path.of("/proc", name, "stat"));
            // The command's name is in brackets and may contain anything: fields are counted from the last bracket.
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Long.parseLong(fields[START_TIME_FIELD]);
        } catch (IOException | RuntimeException ignored) {
            return 0;
        }
    }

    /** Returns the user's name as used in the names of job directories: letters, digits, dots and underscores only. */
    public static String user() {
        return USER_NAME;
    }

    /** Returns the number of cores that this process may use, at least one. */
    public static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Returns the cores of this host that are in use, one bit each; zero if this process cannot find that out. */
    public static BigInteger onlineCores() {
        try {
            return CoreMask.ofList(Files.readString(ONLINE));
        } catch (IOException | RuntimeException ignored) {
            return BigInteger.ZERO;
        }
    }

    /**
     * Returns the cores on which a process of this host may run, one bit each.
     *
     * @param process its identity, as {@link #process} returns it
     * @return zero if this process cannot find that out
     */
    static BigInteger coresOf(long process) {
        if (process >>> Integer.SIZE != PROCESS >>> Integer.SIZE) {
            return BigInteger.ZERO;
        }
        try {
            // In a PID namespace that mounts no /proc of its own, processes have other numbers there.
            if (!Files.readSymbolicLink(PROC_SELF).toString().equals(Long.toString(PID))) {
                return BigInteger.ZERO;
            }
            return CoreMask.of(Files.readAllLines(Path.of("/proc", Long.toString(pidOf(process)), "status")));
        } catch (IOException | RuntimeException ignored) {
            return BigInteger.ZERO;
        }
    }

    /** Returns true if a file, directory or link belongs to this process's user. A link is not followed. */
    static boolean owns(Path path) throws IOException {
        if (USER_ID == NOBODY_KNOWN) {
            return Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"));
        }
        return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(USER_ID);
    }

    /** Creates a thread that does not keep the process alive. */
    public static Thread thread(String name, Runnable work) {
        final Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Waits for about the given time; may return early. */
    public static void park(long nanoseconds) {
        LockSupport.parkNanos(nanoseconds);
    }

    /**
     * Waits until a thread has ended, despite interrupts of the caller. The interrupt flag is set again afterwards.
     *
     * @param thread not the caller's
     * @param limitNs the longest wait
     * @return true if it has ended
     */
    public static boolean join(Thread thread, long limitNs) {
        final long deadlineNs = Deadline.in(limitNs, TimeUnit.NANOSECONDS);
        boolean interrupted = false;
        while (thread.isAlive() && !Deadline.reached(deadlineNs)) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, Deadline.remaining(deadlineNs)));
            } catch (InterruptedException ignored) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /**
     * Binds the calling thread to a core, by the program {@code taskset}, because Java has no means for it.
     *
     * @param core its number, as the system counts
     * @throws IOException if that is not possible; the message contains the reason
     */
    public static void bindThisThread(int core) throws IOException {
        final String thread = Files.readSymbolicLink(THREAD).getFileName().toString();
        final Process taskset = new ProcessBuilder("taskset", "-p", "-c", Integer.toString(core), thread)
                .redirectErrorStream(true)
                .start();
        taskset.getOutputStream().close();
        final String output = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        try {
            if (taskset.waitFor() != 0) {
                throw new IOException("taskset: " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while taskset ran", e);
        }
    }

    /** Ends the process at once: no shutdown hook may delay the end of a rank whose launcher is gone. */
    static void halt(int status) {
        Runtime.getRuntime().halt(status);
    }

    /** Returns the user id that new files receive: the fourth of the kernel's four. */
    private static int fileUserId() {
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("Uid:")) {
                    return Integer.parseUnsignedInt(line.split("\\s+", -1)[4]);
                }
            }
        } catch (IOException | RuntimeException ignored) {
            return NOBODY_KNOWN;
        }
        return NOBODY_KNOWN;
    }

    private static String userName() {
        final String name = System.getProperty("user.name", "");
        // A container may run under an id without a user: the JDK then returns "?".
        final boolean known = name.chars().anyMatch(Character::isLetterOrDigit);
        return known ? name.replaceAll("[^A-Za-z0-9._]", "_") : "uid" + Integer.toUnsignedString(USER_ID);
    }
}
