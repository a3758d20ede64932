package org.segno.collective;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.CollectiveSettings;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.Target;
import org.segno.multisend.MultisendAccess;
import org.segno.status.ClosedException;
import org.segno.status.SegnoException;

/**
 * The members of collectives, numbered from 0: ranks of a client, each with one context or several, or contexts of
 * ranks, each used by a thread of its own. Created from all ranks of the client by {@link #world} or {@link
 * #endpoints}, from some of them by {@link #of} or {@link #ofEndpoints}, or from another geometry by {@link #split}.
 * Used by the one thread that holds the contexts. Each member has an object of its own.
 *
 * <p>All members create geometries, prepare collectives and start their rounds in the same order. The first call with
 * new arguments is an agreement among all members: each receives the counters of the others, and different
 * arguments are an error at every member, which names the member and the argument. Later calls with equal arguments
 * replay the recorded collective, and exchange only data and counts.
 *
 * <p>Only the members may write to a geometry's counters, so the death of another rank does not affect it. After the
 * death of a member its collectives fail; it can only be closed then, and {@link #survivors} be created.
 */
public final class Geometry implements AutoCloseable {
    /** Maximum of the bytes of a name. Names that are derived from it are shortened to as many. */
    public static final int MAX_NAME_BYTES = 64;

    private static final Call BARRIER = Call.barrier();

    private final GeometryResources resources;
    private final String name;
    private final Members members;
    private final int self;
    private final Agreement agreement;
    private final RecordedCollectives recorded = new RecordedCollectives(this);
    private final CollectiveRecordings recordings;
    private Hosts hosts;
    private AlgorithmTable algorithmTable = AlgorithmTable.defaults();
    private int children;

    private boolean checksRounds;

    /** Geometry of which this one has the survivors; otherwise this one. */
    private Geometry origin = this;

    private boolean closed;

    private Geometry(GeometryResources resources, String name, Members members, int self, Agreement agreement) {
        this.resources = resources;
        this.name = name;
        this.members = members;
        this.self = self;
        this.agreement = agreement;
        this.hosts = Hosts.one(members.size());
        this.recordings = new CollectiveRecordings(this, agreement, recorded);
    }

    /**
     * Returns the bytes of windows that a member of a geometry needs for it and for the collectives of {@code calls},
     * in addition to the windows that these name. Members of one rank need the sum.
     */
    public static long windowBytes(int members, Call... calls) {
        return windowBytes(members, 1, calls);
    }

    /** Returns the bytes as the other {@code windowBytes}, for members with several contexts. */
    public static long windowBytes(int members, int contexts, Call... calls) {
        return windowBytes(members, contexts, AlgorithmTable.defaults(), calls);
    }

    /**
     * Returns the bytes as the other {@code windowBytes}, for members that select algorithms by {@code table}, as those
     * of {@link #algorithms(AlgorithmTable)}.
     */
    public static long windowBytes(int members, int contexts, AlgorithmTable table, Call... calls) {
        return Needs.windowBytes(members, contexts, table, calls);
    }

    /**
     * Creates the geometry of all ranks of a client, together with all of them. Needs window memory of the client,
     * {@link #windowBytes}.
     *
     * @param context takes part for this rank; that of the same number at each
     * @param name at most {@value #MAX_NAME_BYTES} bytes in UTF-8, the same at all members. Members that create several
     *     geometries at the same time, or in different orders, give them different names
     * @throws org.segno.status.DeadlineException at the deadline; the message names members that are missing. This
     *     member does not take part then, and may call again
     * @throws org.segno.status.PeerFailedException if a rank has died
     * @throws IllegalArgumentException if the client's windows have no room, the name is in use, or the context belongs
     *     to another client. The others wait for this member until their deadlines
     * @throws IllegalStateException if too few counters are left; likewise. Or at all members, if they were given
     *     different arguments
     */
    public static Geometry world(Client client, Context context, String name, long deadlineNs) {
        return of(client, context, name, client.tasks(), deadlineNs);
    }

    /**
     * Creates the geometry of all ranks of a client, each with several contexts. Long collectives are divided among
     * them: each context carries out a part of every block, from its own persistent FIFO, so that several engines work
     * at once. Otherwise as the other {@code world}. The calling thread holds all contexts. A test of a collective and
     * a wait for it advance those that carry out a part of it.
     *
     * @param contexts of the client, each once, the same number of them at all ranks; the first one agrees with those
     *     of the other ranks
     */
    public static Geometry world(Client client, Context[] contexts, String name, long deadlineNs) {
        return of(client, contexts, name, client.tasks(), deadlineNs);
    }

    /**
     * Creates a geometry of some ranks of a client, in the given order, together with these alone: for example of those
     * that are left after a death. Otherwise as {@link #world}.
     *
     * @param members their ranks, each once, equal at all of them; with the rank of this one
     */
    public static Geometry of(Client client, Context context, String name, int[] members, long deadlineNs) {
        return of(client, new Context[] {context}, name, members, deadlineNs);
    }

    /**
     * Creates a geometry of some ranks, each with several contexts, as
     * {@link #world(Client, Context[], String, long)}.
     */
    public static Geometry of(Client client, Context[] contexts, String name, int[] members, long deadlineNs) {
        final Context first = MultisendAccess.requireContexts(contexts)[0];
        ContextAccess.requireOf(client, first);
        return named(client, contexts, name, Members.ofRanks(client, first.rank(), members), deadlineNs);
    }

    /**
     * Creates a geometry in which each context is a member: the contexts 0 to {@code contextsPerRank} - 1 of all ranks
     * of a client, ordered by rank, then by number. Each member is used by the thread that holds its context, and has
     * its own calls, buffers and results. So several threads of a process take part in one collective, and a message
     * between two of them is a copy. A rank needs the windows and counters of all of its members. Otherwise as
     * {@link #world}.
     *
     * @param context member for the calling thread
     * @param contextsPerRank number of members of each rank, equal at all
     */
    public static Geometry endpoints(
            Client client, Context context, int contextsPerRank, String name, long deadlineNs) {
        ContextAccess.requireOf(client, context);
        final Members members = Members.ofContexts(client, context, contextsPerRank);
        return named(client, new Context[] {context}, name, members, deadlineNs);
    }

    /**
     * Creates a geometry of some contexts in the given order, as {@link #endpoints}. Ranks may have different numbers
     * of them. {@link Client#endpoint} returns those of other ranks, to the thread that holds the first context.
     *
     * @param members their {@link org.segno.geometry.Endpoint}s, each once, equal at all of them; with that of
     *     {@code context}
     */
    public static Geometry ofEndpoints(Client client, Context context, String name, long[] members, long deadlineNs) {
        ContextAccess.requireOf(client, context);
        final Members chosen = Members.ofEndpoints(client, context, members);
        return named(client, new Context[] {context}, name, chosen, deadlineNs);
    }

    private static Geometry named(Client client, Context[] contexts, String name, Members members, long deadlineNs) {
        if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "the name of a geometry has 1 to " + MAX_NAME_BYTES + " bytes in UTF-8: name=" + name);
        }
        return create(client, contexts, name, members, deadlineNs);
    }

    static Geometry create(Client client, Context[] contexts, String name, Members members, long deadlineNs) {
        final Context context = contexts[0];
        ContextAccess.requireOutsidePass(context);
        final int self = members.self(context);
        final GeometryResources resources = new GeometryResources(client, contexts);
        resources.until(deadlineNs);
        final Agreement agreement = new Agreement(resources, self, members);
        final Geometry world = new Geometry(resources, name, members, self, agreement);
        boolean created = false;
        try (Meeting meeting = new Meeting(client, world, agreement.pair())) {
            final RuntimeException problem = world.set(ContextAccess.collectives(client));
            if (problem == null) {
                Proposal.create(agreement.own(), contexts.length, ContextAccess.host(context), members);
            } else {
                Proposal.failed(agreement.own(), String.valueOf(problem.getMessage()));
            }
            final CreationTable table = agreement.meet(meeting, world, deadlineNs);
            if (problem != null) {
                throw problem;
            }
            agreement.connect(table);
            world.hosts(Hosts.proposed(table.proposals()));
            created = true;
            return world;
        } finally {
            if (!created) {
                agreement.close();
            }
        }
    }

    /** Applies the settings of the node. Returns the exception of a table that cannot be read, or null. */
    private @Nullable RuntimeException set(CollectiveSettings settings) {
        checksRounds = settings.checksRounds();
        try {
            algorithmTable = AlgorithmTable.ofSetting(settings.algorithmTable());
            return null;
        } catch (final IllegalArgumentException e) {
            return e;
        }
    }

    /**
     * Creates the geometry of the members that are left after deaths, in their order, together with all of them. If
     * another one dies meanwhile, it is left out, too. Deaths have one order for the whole job, so that all survivors
     * create the same geometry. A thread with several geometries calls in the same order as others. One of the members
     * may return from it and see another death there: it then calls again, of the new geometry. This geometry is closed
     * afterwards, not before: until then another member may still send to it.
     *
     * @throws IllegalStateException if no member is known to have died, or this geometry is closed
     * @throws org.segno.status.DeadlineException at the deadline
     */
    public Geometry survivors(long deadlineNs) {
        if (closed) {
            throw new IllegalStateException(this + " is closed: create the geometry of its survivors before");
        }
        final Geometry left = Survivors.geometry(this, origin, deadlineNs);
        left.algorithmTable = algorithmTable;
        left.checksRounds = checksRounds;
        left.origin = origin;
        return left;
    }

    /** Returns the reason why a member will send nothing more, or null. */
    @Nullable
    SegnoException departure() {
        for (final int rank : members.ranks()) {
            final SegnoException reason = resources.context().failure(rank);
            if (reason != null) {
                return reason;
            }
        }
        return null;
    }

    /** Returns the rank of a member that has left the job, or -1. */
    int left() {
        for (final int rank : members.ranks()) {
            if (resources.context().failure(rank) instanceof ClosedException) {
                return rank;
            }
        }
        return -1;
    }

    /**
     * Divides the members by colour into new geometries, in each of which they are ordered by key, and by their number
     * here if keys are equal. All members call.
     *
     * @param colour of the geometry of this member; below zero for none
     * @return the geometry of this member, or null
     * @throws SegnoException as {@link #prepare}
     */
    public @Nullable Geometry split(int colour, int key, long deadlineNs) {
        return divide(colour, key, 0, deadlineNs);
    }

    private @Nullable Geometry divide(int colour, int key, long list, long deadlineNs) {
        requireUsable();
        Proposal.split(agreement.own(), colour, key, list);
        agreement.agree(deadlineNs);
        final List<Integer> chosen = new ArrayList<>();
        final int[] keys = new int[size()];
        for (int member = 0; member < size(); member++) {
            keys[member] = Proposal.key(agreement.of(member));
            if (colour >= 0 && Proposal.colour(agreement.of(member)) == colour) {
                chosen.add(member);
            }
        }
        chosen.sort(Comparator.comparingInt(member -> keys[member]));
        return join(chosen, deadlineNs);
    }

    /**
     * Creates the geometry of some members, in the given order. All members call, with equal arguments.
     *
     * @param members by their numbers here, each once
     * @return the new geometry, or null at a member that is not among them
     * @throws IllegalArgumentException at every member, if a number does not exist or is given twice
     */
    public @Nullable Geometry of(int[] members, long deadlineNs) {
        requireUsable();
        int key = -1;
        for (int i = 0; i < members.length; i++) {
            key = members[i] == self ? i : key;
        }
        final boolean isValid = Arrays.stream(members).distinct().count() == members.length
                && Arrays.stream(members).allMatch(member -> member >= 0 && member < size());
        if (!isValid) {
            throw invalid("members=" + Arrays.toString(members), deadlineNs);
        }
        return divide(
                key < 0 ? -1 : 0,
                key,
                Digest.of(Arrays.stream(members).asLongStream().toArray()),
                deadlineNs);
    }

    /** Notifies the other members of invalid numbers of members. Returns the exception. */
    private RuntimeException invalid(String given, long deadlineNs) {
        final String message = "members must be different, from 0 to " + (size() - 1) + ": " + given;
        return agreement.failed(new IllegalArgumentException(message), deadlineNs);
    }

    /** Creates the geometry of the members {@code first} to {@code last}, as {@link #of} does. */
    public @Nullable Geometry range(int first, int last, long deadlineNs) {
        requireUsable();
        if (first <= last && (first < 0 || last >= size())) {
            throw invalid("first=" + first + " last=" + last, deadlineNs);
        }
        return of(IntStream.rangeClosed(first, last).toArray(), deadlineNs);
    }

    /** Opens this member's part of a new geometry, and exchanges counters with the others. */
    private @Nullable Geometry join(List<Integer> numbers, long deadlineNs) {
        final Members chosen = members.chosen(numbers);
        final int number = numbers.indexOf(self);
        children++;
        Agreement opened = null;
        boolean joined = false;
        try {
            Proposal.step(agreement.own(), Proposal.JOIN);
            if (number >= 0) {
                opened = open(number, chosen, deadlineNs);
                Proposal.inlets(agreement.own(), List.of(opened.pair()));
            }
            agreement.agree(deadlineNs);
            final Geometry geometry = opened == null
                    ? null
                    : new Geometry(resources, GeometryName.derived(name, "." + children), chosen, number, opened);
            if (opened != null && geometry != null) {
                geometry.algorithmTable = algorithmTable;
                geometry.checksRounds = checksRounds;
                geometry.hosts(hosts.of(numbers, numbers.size()));
                connect(opened, numbers, geometry, deadlineNs);
            }
            agreement.agreeAgain(deadlineNs);
            joined = true;
            return geometry;
        } finally {
            if (!joined && opened != null) {
                opened.close();
            }
        }
    }

    private Agreement open(int number, Members chosen, long deadlineNs) {
        resources.until(deadlineNs);
        try {
            return new Agreement(resources, number, chosen);
        } catch (final IllegalArgumentException | IllegalStateException e) {
            throw agreement.failed(e, deadlineNs);
        }
    }

    /** Connects an agreement of some members with the pairs that they have proposed. */
    private void connect(Agreement opened, List<Integer> numbers, Geometry joined, long deadlineNs) {
        final Target[] pairs = new Target[numbers.size()];
        for (int i = 0; i < pairs.length; i++) {
            final int member = numbers.get(i);
            pairs[i] = Proposal.targets(agreement.of(member), members.rank(member))[0];
        }
        opened.connect(pairs, joined);
        try {
            opened.prepare();
        } catch (final IllegalStateException e) {
            throw agreement.failed(e, deadlineNs);
        }
    }

    private void requireUsable() {
        resources.requireMayWait();
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        resources.requireOpen();
        agreement.requireInStep();
    }

    /**
     * Records a collective, together with all members. Nothing moves before its first start.
     *
     * @throws IllegalStateException at every member, if they call with different arguments, or one cannot take part;
     *     the message names the member and the argument
     * @throws IllegalArgumentException at a member with invalid arguments
     * @throws SegnoException if a member has died, or at the deadline; the geometry can only be closed then
     */
    public Collective prepare(Call call, long deadlineNs) {
        requireUsable();
        return recordings.prepare(call, deadlineNs);
    }

    /**
     * Returns the collective that is recorded for a call, and records it at the first one, as {@link #prepare} does. It
     * belongs to the geometry, which closes it, and not before: each takes a window and counters, so an application
     * closes those that it no longer needs. The next equal call then records again, so that all members close at the
     * same place among their calls. All members call this, also to find a recorded collective: what one of them holds
     * is never closed to make room for others.
     */
    public Collective collective(Call call, long deadlineNs) {
        resources.requireOpen();
        return recorded.lent(call, deadlineNs);
    }

    /** Removes a collective that is closed. */
    void remove(Collective collective) {
        recorded.remove(collective);
        recordings.remove(collective);
    }

    /**
     * Carries out a call and waits for it. Calls with equal arguments replay the recording of the first one. Where a
     * member has no room for a new recording, all close the one that was run least recently, if they only {@code run}
     * it; its next call records it again.
     *
     * @throws org.segno.status.DeadlineException at the deadline. If the round has started, the next call with equal
     *     arguments continues it, and starts no other one; {@link #prepare} describes a first call that finds no
     *     agreement
     * @throws SegnoException as {@link Collective#run}
     */
    public void run(Call call, long deadlineNs) {
        recorded.run(call, deadlineNs);
    }

    /**
     * Carries out a call without windows on any buffers, which are copied. Calls with equal lengths replay the same
     * record, whatever their buffers. A call that continues a round after a deadline, as the other {@code run}, leaves
     * the contribution of that round as it is, and copies its result.
     *
     * @param source this member's contribution; of a broadcast that of the root, ignored elsewhere
     * @param target where the result is copied, if this member has one; of a broadcast not at the root
     * @throws IllegalArgumentException if the call names windows, or a buffer that this member needs is null or too
     *     short; nothing moves then, and this member can repeat the call, unless its arguments are new: the other
     *     members are notified then, as by {@link #prepare}
     */
    public void run(
            Call call,
            DirectBuffer source,
            int sourceIndex,
            MutableDirectBuffer target,
            int targetIndex,
            long deadlineNs) {
        if (call.source() != null || call.target() != null) {
            throw new IllegalArgumentException("a call with windows has its buffers there: " + call);
        }
        requireUsable();
        recorded.run(call, source, sourceIndex, target, targetIndex, deadlineNs);
    }

    /**
     * Sets whether the rounds of collectives that are recorded from now on are checked, here and in geometries that are
     * created from this one. The first call of a collective is always checked. With this, each later start and queue
     * first waits, up to a minute, until all members have called the same, and throws {@link IllegalStateException} at
     * every member if they have not. It costs a message between any two members, and such a start is not possible in a
     * handler. All members set the same. The default is {@code NodeConfig.withRoundChecks}.
     */
    public void checksRounds(boolean checks) {
        checksRounds = checks;
    }

    boolean checksRounds() {
        return checksRounds;
    }

    /** Returns the exchange of proposals with the other members. */
    Agreement agreement() {
        return agreement;
    }

    /** Checks that all members start another round of the collective that was recorded as number {@code recording}. */
    void agreeOnRound(Preparation preparation, long recording, long deadlineNs) {
        requireUsable();
        Proposal.repeat(agreement.own(), preparation.call(), preparation.parts().get(0), recording);
        agreement.agree(deadlineNs);
    }

    /** Waits until all members have entered. After a deadline, the next call continues, as {@link #run(Call, long)}. */
    public void barrier(long deadlineNs) {
        run(BARRIER, deadlineNs);
    }

    /**
     * Sets the table that selects the algorithms of later calls, here and in geometries that are created from this one.
     * All members set the same. The default is the file of {@code NodeConfig.withAlgorithmTable}, or the table of the
     * library.
     */
    public void algorithms(AlgorithmTable table) {
        algorithmTable = Objects.requireNonNull(table, "table");
    }

    /** Returns the names of the algorithms that can carry out a call, the preferred one first. */
    public List<String> algorithms(Call call) {
        return algorithmTable.names(shape(call));
    }

    /**
     * Returns the algorithms that can carry out a call, with descriptions and limits: the rows of the table for as many
     * members, in their order. The first row with a limit of at least the call's bytes selects the algorithm, so that a
     * row begins where the one before ends. Algorithms that the table does not select here follow, with limits of 0.
     */
    public List<AlgorithmTable.Row> algorithmRows(Call call) {
        return algorithmTable.rows(shape(call));
    }

    /** Checks the arguments of this member, and returns the shape of a call. */
    Shape shape(Call call) {
        return Arguments.requireValid(call, member(), Arguments.unknownOffsets(call, size()));
    }

    /** Returns the number of members. */
    public int size() {
        return members.size();
    }

    /** Returns the number of this member. */
    public int self() {
        return self;
    }

    /** Returns the rank of a member. */
    public int rank(int member) {
        return members.rank(member);
    }

    Context[] contexts() {
        return resources.contexts();
    }

    GeometryResources resources() {
        return resources;
    }

    String name() {
        return name;
    }

    Members members() {
        return members;
    }

    Hosts hosts() {
        return hosts;
    }

    Member member() {
        return new Member(self, hosts, number -> ContextAccess.isCommutative(resources.client(), number));
    }

    /** Sets the hosts of the members; all set the same. */
    void hosts(Hosts known) {
        hosts = known;
    }

    AlgorithmTable table() {
        return algorithmTable;
    }

    /**
     * Closes the geometry at this member with all of its collectives, prepared ones, too. Geometries that were created
     * from it remain open.
     *
     * <p>If the client was closed, the geometry was closed with it. This has no effect then, and every other use throws
     * {@link org.segno.status.ClosedException}, which names the client.
     *
     * @throws IllegalStateException if one of the collectives is in progress: await it first. Nothing is closed then
     */
    @Override
    public void close() {
        if (closed || resources.closedReason() != null) {
            return;
        }
        recordings.close();
        closed = true;
        agreement.close();
        // The thread may make no more passes, for which what other contexts close would wait.
        for (final Context each : contexts()) {
            ContextAccess.rest(each);
        }
    }

    @Override
    public String toString() {
        return "geometry " + name + " of " + size() + " members";
    }
}
