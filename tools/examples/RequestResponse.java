import static java.util.concurrent.TimeUnit.SECONDS;

import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;
import org.segno.status.Status;

/**
 * Rank 0 is a server: it receives numbers and returns their squares. All other ranks are clients with many outstanding
 * requests. The FIFOs are short, so that back pressure occurs on both sides. A client whose FIFO is full sends later;
 * the server's handler returns AGAIN while there is no room for the response, and receives the same request again.
 *
 * <pre>
 * tools/bin/segno run -n 4 tools/examples/RequestResponse.java [REQUESTS_OF_A_CLIENT]
 * </pre>
 */
public final class RequestResponse {
    private static final int REQUEST = 1; // dispatch ids: which handler a message is for
    private static final int RESPONSE = 2;
    private static final int LENGTH = 2 * Long.BYTES; // number of the request, and the argument or the result
    private static final int OUTSTANDING_LIMIT = 64;

    private final Context context;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final long deadlineNs = Deadline.in(30, SECONDS);
    private long sent;
    private long received;
    private long refused;

    private RequestResponse(Context context) {
        this.context = context;
    }

    public static void main(String[] args) {
        int requests = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
        NodeConfig config = NodeConfig.defaults().withFifoSlots(16);
        try (Node node = Node.join(JobConfig.fromEnvironment(), config)) {
            if (node.size() < 2) {
                throw new IllegalArgumentException("a server and a client are needed: run it with -n 2 or more");
            }
            RequestResponse program = new RequestResponse(node.client().context());
            if (node.rank() == 0) {
                program.serve((long) requests * (node.size() - 1));
            } else {
                program.ask(requests);
            }
            System.out.println("rank " + node.rank() + (node.rank() == 0 ? " served " : " sent ") + program.sent
                    + " requests, " + program.refused + " times there was no room");
        }
    }

    private void serve(long requests) {
        context.replyingHandler(REQUEST, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
            long argument = buffer.getLong(payload + Long.BYTES);
            message.putLong(0, buffer.getLong(payload));
            message.putLong(Long.BYTES, argument * argument);
            // First the response: if there is no room for it, the handler must not have done anything yet.
            if (context.sendImmediate(origin, RESPONSE, message, 0, LENGTH) < 0) {
                refused++;
                return Status.AGAIN;
            }
            sent++;
            return 0;
        });
        // Clients send from here on.
        context.barrier(deadlineNs);
        context.await(() -> sent == requests, deadlineNs);
        context.barrier(deadlineNs);
    }

    private void ask(long requests) {
        context.handler(RESPONSE, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
            long number = buffer.getLong(payload);
            long square = buffer.getLong(payload + Long.BYTES);
            // Responses of one server arrive in the order of the requests.
            if (number != received || square != argument(number) * argument(number)) {
                throw new IllegalStateException("request " + received + " has response " + number + ": " + square);
            }
            received++;
        });
        context.barrier(deadlineNs);
        context.await(() -> sendRequests(requests) && received == requests, deadlineNs);
        context.barrier(deadlineNs);
    }

    /** Sends what may be outstanding and has room, and never waits. Returns true if all requests were sent. */
    private boolean sendRequests(long requests) {
        while (sent < requests && sent - received < OUTSTANDING_LIMIT) {
            message.putLong(0, sent);
            message.putLong(Long.BYTES, argument(sent));
            if (context.sendImmediate(0, REQUEST, message, 0, LENGTH) < 0) {
                refused++;
                return false;
            }
            sent++;
        }
        return sent == requests;
    }

    private long argument(long number) {
        return number + context.rank() * 1000L;
    }
}
