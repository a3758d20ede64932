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
 * A process that plays one {@link Scenario} after the other. A line of its standard input is a {@link ScenarioRequest}
 * or, while it plays, a cue; it says on standard output what the parts say. It ends with its input, so that none
 * outlives the test.
 */
final class ScenarioMain {
    static final String RUN = "play ";
    static final String SIGNAL = "cue";
    static final String END = "end";
    static final String FAILED = "failed ";

    private static final BlockingQueue<ScenarioRequest> REQUESTS = new LinkedBlockingQueue<>();
    private static final BlockingQueue<String> SIGNALS = new LinkedBlockingQueue<>();

    private ScenarioMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        new Thread(ScenarioMain::listen, "input").start();
        while (true) {
            run(REQUESTS.take());
        }
    }

    private static void listen() {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (line.startsWith(RUN)) {
                    REQUESTS.add(ScenarioRequest.of(line.substring(RUN.length())));
                } else {
                    SIGNALS.add(line);
                }
            }
        } catch (IOException e) {
            print(failure(e));
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    private static void run(ScenarioRequest request) {
        SIGNALS.clear();
        try {
            final Scenario scenario = Class.forName(request.scenario())
                    .asSubclass(Scenario.class)
                    .getDeclaredConstructor()
                    .newInstance();
            scenario.run(new ScenarioRun(request, ScenarioMain::print, SIGNALS));
        } catch (Throwable e) {
            print(failure(e));
        }
        print(END);
    }

    /** A failure in one line. */
    static String failure(Throwable failure) {
        final StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return FAILED + trace.toString().replaceAll("\\R\\s*", " | ");
    }

    private static void print(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }
}
