/*
 * The exchange of a demo by MPI between two ranks, measured for Segno's bench.
 *
 * Modes: "single" sends every piece as a persistent message of its own. "packed" copies all pieces for the other rank
 * into one persistent message and copies them out again; pieces for the own rank are copied once.
 *
 * Arguments: DIRECTORY single|packed. DIRECTORY has the file plan-RANK, whose format MpiPlan.java describes, and the
 * socket control-RANK. Commands are lines: "core N" binds this process to a core, "slice N" runs N rounds. Each is
 * answered by a line: the median time of a round in ns, of groups of 8 rounds. The end of the connection ends the
 * program.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define GROUP 8
#define TIME_OFFSET 8
#define SPIKE_BYTES 16
#define PAGE 4096

struct message {
    int rank;
    int offset;
    int length;
    int origin; /* of a received piece: its offset at the sender, -1 if it differs between rounds */
};

struct phase {
    int send_count;
    int *sends;
    int receive_count;
    int *receives;
    int request_count;
    int first_send;        /* index in requests; the receives precede it */
    MPI_Request *requests; /* active in this phase: receives, then sends */
    int packed_send_bytes;
    int packed_receive_bytes;
};

static int rank;
static int is_packed;
static int round_count, phase_count, source_bytes, target_bytes, is_stamped;
static struct message *sends, *receives;
static MPI_Request *all_sends, *all_receives; /* of single messages */
static struct phase *phases;
static char *source, *target, *packed_out, *packed_in;
static long long now_time;
static volatile long long sum; /* keeps the compiler from dropping the reads */

static void fail(const char *what) {
    fprintf(stderr, "mpi-exchange: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void *allocate(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, PAGE, bytes + PAGE) != 0) {
        fail("out of memory");
    }
    memset(memory, 1, bytes + PAGE); /* touches every page */
    return memory;
}

static int number(FILE *file) {
    int value;
    if (fscanf(file, "%d", &value) != 1) {
        fail("the plan is too short");
    }
    return value;
}

static struct message *read_messages(FILE *file, int *count, int has_origin) {
    *count = number(file);
    struct message *messages = allocate(*count * sizeof(struct message));
    for (int i = 0; i < *count; i++) {
        messages[i].rank = number(file);
        messages[i].offset = number(file);
        messages[i].length = number(file);
        messages[i].origin = has_origin ? number(file) : -1;
    }
    return messages;
}

static int *read_indexes(FILE *file, int *count) {
    *count = number(file);
    int *indexes = allocate(*count * sizeof(int));
    for (int i = 0; i < *count; i++) {
        indexes[i] = number(file);
    }
    return indexes;
}

static int packed_bytes(const struct message *messages, const int *indexes, int count) {
    int bytes = 0;
    for (int i = 0; i < count; i++) {
        bytes += messages[indexes[i]].rank == rank ? 0 : messages[indexes[i]].length;
    }
    return bytes;
}

static void prepare_single(struct phase *phase) {
    phase->request_count = phase->receive_count + phase->send_count;
    phase->first_send = phase->receive_count;
    phase->requests = allocate(phase->request_count * sizeof(MPI_Request));
}

/* Copies the handles of a phase. Rounds share requests, and a start may replace a handle (Open MPI does). */
static void load_requests(struct phase *phase) {
    for (int i = 0; i < phase->receive_count; i++) {
        phase->requests[i] = all_receives[phase->receives[i]];
    }
    for (int i = 0; i < phase->send_count; i++) {
        phase->requests[phase->first_send + i] = all_sends[phase->sends[i]];
    }
}

static void store_requests(const struct phase *phase) {
    for (int i = 0; i < phase->receive_count; i++) {
        all_receives[phase->receives[i]] = phase->requests[i];
    }
    for (int i = 0; i < phase->send_count; i++) {
        all_sends[phase->sends[i]] = phase->requests[phase->first_send + i];
    }
}

static void prepare_packed(struct phase *phase) {
    phase->packed_send_bytes = packed_bytes(sends, phase->sends, phase->send_count);
    phase->packed_receive_bytes = packed_bytes(receives, phase->receives, phase->receive_count);
    phase->requests = allocate(2 * sizeof(MPI_Request));
    if (phase->packed_receive_bytes > 0) {
        MPI_Recv_init(packed_in, phase->packed_receive_bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                      &phase->requests[phase->request_count++]);
    }
    phase->first_send = phase->request_count;
    if (phase->packed_send_bytes > 0) {
        MPI_Send_init(packed_out, phase->packed_send_bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                      &phase->requests[phase->request_count++]);
    }
}

static void prepare(int send_count, int receive_count) {
    all_sends = allocate(send_count * sizeof(MPI_Request));
    all_receives = allocate(receive_count * sizeof(MPI_Request));
    for (int i = 0; !is_packed && i < send_count; i++) {
        MPI_Send_init(source + sends[i].offset, sends[i].length, MPI_BYTE, sends[i].rank, 0, MPI_COMM_WORLD,
                      &all_sends[i]);
    }
    for (int i = 0; !is_packed && i < receive_count; i++) {
        MPI_Recv_init(target + receives[i].offset, receives[i].length, MPI_BYTE, receives[i].rank, 0, MPI_COMM_WORLD,
                      &all_receives[i]);
    }
    for (int i = 0; i < round_count * phase_count; i++) {
        if (is_packed) {
            prepare_packed(&phases[i]);
        } else {
            prepare_single(&phases[i]);
            load_requests(&phases[i]);
        }
    }
}

static void read_plan(const char *directory) {
    char path[PAGE];
    snprintf(path, sizeof path, "%s/plan-%d", directory, rank);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail("the plan cannot be opened");
    }
    round_count = number(file);
    phase_count = number(file);
    source_bytes = number(file);
    target_bytes = number(file);
    is_stamped = number(file);
    int send_count, receive_count;
    sends = read_messages(file, &send_count, 0);
    receives = read_messages(file, &receive_count, 1);
    phases = allocate(round_count * phase_count * sizeof(struct phase));
    memset(phases, 0, round_count * phase_count * sizeof(struct phase));
    for (int i = 0; i < round_count * phase_count; i++) {
        phases[i].sends = read_indexes(file, &phases[i].send_count);
        phases[i].receives = read_indexes(file, &phases[i].receive_count);
    }
    fclose(file);
    source = allocate(source_bytes);
    target = allocate(target_bytes);
    packed_out = allocate(source_bytes > target_bytes ? source_bytes : target_bytes);
    packed_in = allocate(target_bytes);
    prepare(send_count, receive_count);
}

/* Writes the time into every spike that is sent, once for each cell. */
static void stamp(const struct phase *phase) {
    int last = -1;
    now_time++;
    for (int i = 0; i < phase->send_count; i++) {
        int offset = sends[phase->sends[i]].offset;
        if (offset != last) {
            memcpy(source + offset + TIME_OFFSET, &now_time, sizeof now_time);
            last = offset;
        }
    }
}

static void handle(const struct phase *phase) {
    long long total = 0;
    for (int i = 0; i < phase->receive_count; i++) {
        long long words[2];
        memcpy(words, target + receives[phase->receives[i]].offset, SPIKE_BYTES);
        total += words[0] * words[1];
    }
    sum += total;
}

static void run_single(struct phase *phase) {
    if (round_count > 1) {
        load_requests(phase);
    }
    MPI_Startall(phase->receive_count, phase->requests);
    MPI_Startall(phase->send_count, phase->requests + phase->first_send);
    if (round_count > 1) {
        store_requests(phase);
    }
    MPI_Waitall(phase->request_count, phase->requests, MPI_STATUSES_IGNORE);
    if (is_stamped) {
        handle(phase);
    }
}

/* Copies a piece. The compiler makes a few instructions of each frequent length. */
static inline void copy(char *to, const char *from, int length) {
    if (length == 64) {
        memcpy(to, from, 64);
    } else if (length == SPIKE_BYTES) {
        memcpy(to, from, SPIKE_BYTES);
    } else {
        memcpy(to, from, length);
    }
}

static void run_packed(struct phase *phase) {
    if (phase->packed_receive_bytes > 0) {
        MPI_Start(&phase->requests[0]);
    }
    char *to = packed_out;
    for (int i = 0; i < phase->send_count; i++) {
        const struct message *piece = &sends[phase->sends[i]];
        if (piece->rank != rank) {
            copy(to, source + piece->offset, piece->length);
            to += piece->length;
        }
    }
    if (phase->packed_send_bytes > 0) {
        MPI_Start(&phase->requests[phase->first_send]);
    }
    /* The pieces of this rank to itself, while the message travels: k-th sent to k-th received. */
    int next = 0;
    for (int i = 0; i < phase->send_count; i++) {
        const struct message *piece = &sends[phase->sends[i]];
        if (piece->rank == rank) {
            while (receives[phase->receives[next]].rank != rank) {
                next++;
            }
            copy(target + receives[phase->receives[next++]].offset, source + piece->offset, piece->length);
        }
    }
    MPI_Waitall(phase->request_count, phase->requests, MPI_STATUSES_IGNORE);
    const char *from = packed_in;
    for (int i = 0; i < phase->receive_count; i++) {
        const struct message *piece = &receives[phase->receives[i]];
        if (piece->rank != rank) {
            copy(target + piece->offset, from, piece->length);
            from += piece->length;
        }
    }
}

static void run_round(void) {
    static int current;
    for (int i = 0; i < phase_count; i++) {
        struct phase *phase = &phases[current * phase_count + i];
        if (is_stamped) {
            stamp(phase);
        }
        if (is_packed) {
            run_packed(phase);
        } else {
            run_single(phase);
        }
    }
    current = current + 1 == round_count ? 0 : current + 1;
}

static long long expected_word(int sender, int offset) {
    return ((long long)sender << 32) + offset + 1;
}

/* Runs every phase once and checks each word of the received pieces. */
static void check(void) {
    for (int offset = 0; offset < source_bytes; offset += 8) {
        long long word = expected_word(rank, offset);
        memcpy(source + offset, &word, sizeof word);
    }
    for (int p = 0; p < round_count * phase_count; p++) {
        memset(target, 0, target_bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        if (is_packed) {
            run_packed(&phases[p]);
        } else {
            run_single(&phases[p]);
        }
        for (int i = 0; i < phases[p].receive_count; i++) {
            const struct message *piece = &receives[phases[p].receives[i]];
            for (int offset = 0; piece->origin >= 0 && offset < piece->length; offset += 8) {
                long long word;
                memcpy(&word, target + piece->offset + offset, sizeof word);
                if (word != expected_word(piece->rank, piece->origin + offset)) {
                    fail("a received piece is wrong");
                }
            }
        }
    }
}

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static double slice(int operations) {
    int groups = operations / GROUP > 0 ? operations / GROUP : 1;
    double *times = malloc(groups * sizeof(double));
    if (times == NULL) {
        fail("out of memory");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    run_round();
    for (int group = 0; group < groups; group++) {
        double begin = now_ns();
        for (int i = 0; i < GROUP; i++) {
            run_round();
        }
        times[group] = (now_ns() - begin) / GROUP;
    }
    qsort(times, groups, sizeof(double), ascending);
    double median = times[groups / 2];
    free(times);
    return median;
}

static void bind_to(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
        fail("the process cannot be bound to its core");
    }
}

static FILE *connect_to(const char *directory, int *descriptor) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%.90s/control-%d", directory, rank);
    *descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int attempt = 0; attempt < 2000; attempt++) {
        if (connect(*descriptor, (struct sockaddr *)&address, sizeof address) == 0) {
            return fdopen(*descriptor, "r");
        }
        usleep(10000);
    }
    fail("the worker does not accept the connection");
    return NULL;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || size != 2) {
        fail("usage: mpirun -n 2 mpi-exchange DIRECTORY single|packed");
    }
    is_packed = strcmp(argv[2], "packed") == 0;
    int descriptor;
    FILE *commands = connect_to(argv[1], &descriptor);
    char line[128];
    while (commands != NULL && fgets(line, sizeof line, commands) != NULL) {
        int value;
        double figure = 0;
        if (sscanf(line, "core %d", &value) == 1) {
            bind_to(value);
            read_plan(argv[1]);
            check();
        } else if (sscanf(line, "slice %d", &value) == 1) {
            figure = slice(value);
        } else {
            fail("unknown command");
        }
        dprintf(descriptor, "%.3f\n", figure);
    }
    MPI_Finalize();
    return 0;
}
