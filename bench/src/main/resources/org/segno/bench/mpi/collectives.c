/*
 * Collectives by MPI, measured for Segno's bench as CollectiveRank.java measures them: each call after a barrier, the
 * slowest rank of each call, the median of all calls; barriers and short allreduces also back to back.
 *
 * Arguments: for each test NAME BYTES CALLS. Prints a line for each: name, bytes, median in ns, ns back to back.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;
static char *from, *to;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void call(const char *name, int bytes) {
    if (strcmp(name, "barrier") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(name, "broadcast") == 0) {
        MPI_Bcast(from, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else if (strcmp(name, "allreduce") == 0) {
        MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else {
        MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
}

static int ascending(const void *one, const void *other) {
    const long long a = *(const long long *)one, b = *(const long long *)other;
    return a < b ? -1 : a > b;
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int test = 1; test + 2 < count; test += 3) {
        const char *name = words[test];
        const int bytes = atoi(words[test + 1]), calls = atoi(words[test + 2]);
        const size_t room = (size_t)bytes * size + 4096;
        long long *took = malloc(calls * sizeof *took), *slowest = malloc(calls * sizeof *slowest);
        from = aligned_alloc(4096, (room + 4095) / 4096 * 4096);
        to = aligned_alloc(4096, (room + 4095) / 4096 * 4096);
        memset(from, 0, room);
        memset(to, 0, room);
        for (int i = 0; i < calls; i++) {
            call(name, bytes);
        }
        for (int i = 0; i < calls; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const long long begin = now();
            call(name, bytes);
            took[i] = now() - begin;
        }
        MPI_Reduce(took, slowest, calls, MPI_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        const long long begin = now();
        for (int i = 0; i < calls; i++) {
            call(name, bytes);
        }
        const double each = (double)(now() - begin) / calls;
        if (rank == 0) {
            qsort(slowest, calls, sizeof *slowest, ascending);
            printf("%s %d %lld %.0f\n", name, bytes, slowest[calls / 2], each);
            fflush(stdout);
        }
        free(took);
        free(slowest);
        free(from);
        free(to);
    }
    MPI_Finalize();
    return 0;
}
