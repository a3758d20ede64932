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
 * Process that runs one {@link Scenario} after the other. A line of its standard input is a {@link ScenarioRequest} or,
 * while one runs, a signal; the lines that the scenarios print go to its standard output. It ends with its input, so
 * that it never outlives the test.
 */
final class ScenarioMain {
    static final String RUN = "run ";
    static final String SIGNAL = "signal";
    static final String END = "end";
    static final String FAILED = "failed ";

    private static final BlockingQueue<ScenarioRequest> REQUESTS = new LinkedBlockingQueue<>();
    private static final BlockingQueue<String> SIGNALS = new LinkedBlockingQueue<>();

    private ScenarioMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        new Thread(ScenarioMain::readInput, "input").start();
        while (true) {
            run(REQUESTS.take());
        }
    }

    private static void readInput() {
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

    /** Returns a failure as one line. */
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
