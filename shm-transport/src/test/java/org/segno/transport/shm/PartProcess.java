package org.segno.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process that plays one {@link Part} after the other. A line of its standard input is a {@link Casting} or, while it plays, a
 * cue; it says on standard output what the parts say. It ends with its input, so that none outlives the test.
 */
final class PartProcess {
    static final String PLAY = "play ";
    static final String CUE = "cue";
    static final String END = "end";
    static final String FAILED = "failed ";

    private static final BlockingQueue<Casting> CASTINGS = new LinkedBlockingQueue<>();
    private static final BlockingQueue<String> CUES = new LinkedBlockingQueue<>();

    private PartProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        new Thread(PartProcess::listen, "input").start();
        while (true) {
            play(CASTINGS.take());
        }
    }

    private static void listen() {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (line.startsWith(PLAY)) {
                    CASTINGS.add(Casting.of(line.substring(PLAY.length())));
                } else {
                    CUES.add(line);
                }
            }
        } catch (IOException e) {
            say(failure(e));
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    private static void play(Casting casting) {
        CUES.clear();
        try {
            final Part part = Class.forName(casting.part())
                    .asSubclass(Part.class)
                    .getDeclaredConstructor()
                    .newInstance();
            part.play(new Stage(casting, PartProcess::say, CUES));
        } catch (Throwable e) {
            say(failure(e));
        }
        say(END);
    }

    /** A failure in one line. */
    static String failure(Throwable failure) {
        final StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return FAILED + trace.toString().replaceAll("\\R\\s*", " | ");
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }
}
