package org.segno.demo.comparison;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.demo.halo.RetryingCalls;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.status.Status;

/**
 * Gather of every rank's results at rank 0, by GETs from the others' windows. Used once per demo.
 *
 * <pre>
 *  offset               length  field
 *  0                         8  values checked
 *  8                         8  values wrong
 *  16                        8  greatest difference accepted
 *  24                        8  length of the error text
 *  32                      256  the first error, UTF-8
 *  288          8 x figures     figures
 * </pre>
 */
final class ResultGather {
    private static final int WRONG_OFFSET = 8;
    private static final int DIFFERENCE_OFFSET = 16;
    private static final int TEXT_LENGTH_OFFSET = 24;
    private static final int TEXT_OFFSET = 32;
    private static final int TEXT_LIMIT = 256;
    private static final int FIGURES_OFFSET = TEXT_OFFSET + TEXT_LIMIT;
    private static final String NAME = "demo-figures";

    private final Node node;
    private final Context context;

    ResultGather(Node node) {
        this.node = node;
        this.context = node.client().context();
    }

    /** Returns the bytes of windows that this needs on a rank, with room for alignment. */
    static long windowBytes(int figures) {
        return 2 * (bytes(figures) + 128);
    }

    /**
     * Publishes {@code verification} and {@code figures}, and passes those of all others to {@code listener}
     * on rank 0. Every rank calls this.
     */
    void gather(Verification verification, long[] figures, ResultListener listener) {
        final Client client = node.client();
        final long bytes = bytes(figures.length);
        final Window own = client.window(bytes);
        write(own, verification, figures);
        final ReceptionCounter counter = client.receptionCounter(own, 0, bytes, 0, Right.GET);
        client.publish(NAME, counter);
        if (node.rank() == 0) {
            final Window copy = client.window(bytes);
            for (int rank = 1; rank < node.size(); rank++) {
                fetch(rank, copy, bytes);
                listener.onResults(rank, verification(copy), figures(copy, figures.length));
            }
        }
        context.barrier(RetryingCalls.deadlineNs());
    }

    /** ResultListener for the results of a rank. */
    @FunctionalInterface
    interface ResultListener {
        void onResults(int rank, Verification verification, long[] figures);
    }

    private void fetch(int rank, Window copy, long bytes) {
        final InjectionCounter completion = node.client().injectionCounter();
        completion.expect(bytes);
        while (context.get(context.attach(rank, NAME, RetryingCalls.deadlineNs()), 0, copy, 0, bytes, completion)
                == Status.BACK_PRESSURED) {
            context.advance();
        }
        context.await(completion, RetryingCalls.deadlineNs());
        node.client().close(completion);
    }

    private static void write(Window own, Verification verification, long[] figures) {
        final byte[] text = verification.firstError().getBytes(StandardCharsets.UTF_8);
        final byte[] limited = Arrays.copyOf(text, Math.min(text.length, TEXT_LIMIT));
        own.buffer().putLong(0, verification.checked());
        own.buffer().putLong(WRONG_OFFSET, verification.wrong());
        own.buffer().putDouble(DIFFERENCE_OFFSET, verification.difference());
        own.buffer().putLong(TEXT_LENGTH_OFFSET, limited.length);
        own.buffer().putBytes(TEXT_OFFSET, limited);
        for (int i = 0; i < figures.length; i++) {
            own.buffer().putLong(FIGURES_OFFSET + i * Long.BYTES, figures[i]);
        }
    }

    private static Verification verification(Window copy) {
        final byte[] text = new byte[(int) Math.min(TEXT_LIMIT, copy.buffer().getLong(TEXT_LENGTH_OFFSET))];
        copy.buffer().getBytes(TEXT_OFFSET, text);
        return new Verification(
                copy.buffer().getLong(0),
                copy.buffer().getLong(WRONG_OFFSET),
                copy.buffer().getDouble(DIFFERENCE_OFFSET),
                new String(text, StandardCharsets.UTF_8));
    }

    private static long[] figures(Window copy, int count) {
        final long[] figures = new long[count];
        Arrays.setAll(figures, i -> copy.buffer().getLong(FIGURES_OFFSET + i * Long.BYTES));
        return figures;
    }

    private static long bytes(int figures) {
        return FIGURES_OFFSET + (long) figures * Long.BYTES;
    }
}
