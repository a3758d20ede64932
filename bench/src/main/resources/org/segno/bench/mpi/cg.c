/*
 * Conjugate gradients by MPI, measured for Segno's bench as 'segno demo cg' measures them: the same 27-point Poisson
 * matrix in the same format, the same rows for each rank, one message to each neighbour by persistent requests, one
 * allreduce after each of the two dot products.
 *
 * Arguments: GRID ITERATIONS. A solve warms up; solves of ITERATIONS each are timed until LEAST_TIMED iterations are.
 * Prints "cg" and then: iterations of a solve, r.r after them, b.b, halo messages of all ranks, then the medians of an
 * iteration and of its parts in ns: iteration of the slowest rank; computation, exchange and reduction, means over
 * the ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_TIMED = 200, PARTS = 4, ITERATION = 0, COMPUTE = 1, EXCHANGE = 2, REDUCE = 3 };

static int rank, size, grid, first, count, neighbours, ghosts, sends;

/* Rows of this rank: own columns come first, then the ghosts, in ascending order of their rows. */
static int *restrict starts, *restrict columns;
static double *restrict values;

/* Own rows whose values are sent, one block for each neighbour, and the values. */
static int *sent_rows;
static double *sent;

static double *restrict inverse_diagonal, *restrict right_side, *restrict solution, *restrict residual,
    *restrict product, *restrict direction;
static MPI_Request *requests;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *room(size_t length, size_t of) {
    void *memory = calloc(length + 1, of);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu elements\n", length);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static int smaller(int one, int other) {
    return one < other ? one : other;
}

static int larger(int one, int other) {
    return one > other ? one : other;
}

static int extent(int coordinate) {
    return smaller(grid - 1, coordinate + 1) - larger(0, coordinate - 1) + 1;
}

/* Returns the columns of a row of the whole matrix, in ascending order, and their number. */
static int row_columns(int row, int *found) {
    const int x = row % grid, y = row / grid % grid, z = row / grid / grid;
    int length = 0;
    for (int other_z = larger(0, z - 1); other_z <= smaller(grid - 1, z + 1); other_z++) {
        for (int other_y = larger(0, y - 1); other_y <= smaller(grid - 1, y + 1); other_y++) {
            for (int other_x = larger(0, x - 1); other_x <= smaller(grid - 1, x + 1); other_x++) {
                found[length++] = (other_z * grid + other_y) * grid + other_x;
            }
        }
    }
    return length;
}

/* Divides the rows into one block for each rank, with nearly equal numbers of entries. Returns their first rows. */
static int *partition(void) {
    const int rows = grid * grid * grid;
    const long long line = 3LL * grid - 2, total = line * line * line;
    int *firsts = room(size + 1, sizeof *firsts);
    long long before = 0;
    int next = 1;
    for (int row = 0; row < rows; row++) {
        while (next < size && before * size >= total * next) {
            firsts[next++] = row;
        }
        before += (long long)extent(row % grid) * extent(row / grid % grid) * extent(row / grid / grid);
    }
    while (next <= size) {
        firsts[next++] = rows;
    }
    for (next = 1; next < size; next++) {
        firsts[next] = smaller(larger(firsts[next], firsts[next - 1] + 1), rows - size + next);
    }
    return firsts;
}

/* Fills the matrix, and numbers the ghosts in the order of their rows. Returns the rows of the ghosts. */
static int *fill_matrix(void) {
    const int rows = grid * grid * grid;
    int found[27], entries = 0;
    int *local = room(rows, sizeof *local);
    starts = room(count + 1, sizeof *starts);
    for (int row = 0; row < count; row++) {
        entries += row_columns(first + row, found);
        starts[row + 1] = entries;
    }
    columns = room(entries, sizeof *columns);
    values = room(entries, sizeof *values);
    for (int row = 0; row < count; row++) {
        const int length = row_columns(first + row, columns + starts[row]);
        for (int entry = starts[row]; entry < starts[row] + length; entry++) {
            values[entry] = columns[entry] == first + row ? 26 : -1;
            local[columns[entry]] = 1;
        }
    }
    int *ghost_rows = room(rows, sizeof *ghost_rows);
    for (int row = 0; row < rows; row++) {
        if (row >= first && row < first + count) {
            local[row] = row - first;
        } else if (local[row] == 1) {
            ghost_rows[ghosts] = row;
            local[row] = count + ghosts++;
        }
    }
    for (int entry = 0; entry < entries; entry++) {
        columns[entry] = local[columns[entry]];
    }
    free(local);
    return ghost_rows;
}

/* Lists the own rows that touch ghosts from..to: as the matrix is symmetric, their owner needs these rows. */
static void list_sent_rows(int from, int to) {
    for (int row = 0; row < count; row++) {
        for (int entry = starts[row]; entry < starts[row + 1]; entry++) {
            if (columns[entry] >= count + from && columns[entry] < count + to) {
                sent_rows[sends++] = row;
                break;
            }
        }
    }
}

static void make_requests(const int *firsts, const int *ghost_rows) {
    sent_rows = room((size_t)count * smaller(size, ghosts + 1), sizeof *sent_rows);
    sent = room((size_t)count * smaller(size, ghosts + 1), sizeof *sent);
    requests = room(2 * size, sizeof *requests);
    for (int other = 0, ghost = 0; other < size; other++) {
        const int from = ghost, sent_from = sends;
        while (ghost < ghosts && ghost_rows[ghost] < firsts[other + 1]) {
            ghost++;
        }
        if (ghost > from) {
            list_sent_rows(from, ghost);
            MPI_Recv_init(direction + count + from, ghost - from, MPI_DOUBLE, other, 0, MPI_COMM_WORLD,
                          &requests[2 * neighbours]);
            MPI_Send_init(sent + sent_from, sends - sent_from, MPI_DOUBLE, other, 0, MPI_COMM_WORLD,
                          &requests[2 * neighbours + 1]);
            neighbours++;
        }
    }
}

static void exchange(void) {
    for (int i = 0; i < sends; i++) {
        sent[i] = direction[sent_rows[i]];
    }
    MPI_Startall(2 * neighbours, requests);
    MPI_Waitall(2 * neighbours, requests, MPI_STATUSES_IGNORE);
}

static void multiply(const double *restrict x, double *restrict y) {
    int entry = 0;
    for (int row = 0; row < count; row++) {
        const int end = starts[row + 1];
        double sum = 0;
        for (; entry < end; entry++) {
            sum += values[entry] * x[columns[entry]];
        }
        y[row] = sum;
    }
}

static void sum_all(double *sums, int length) {
    MPI_Allreduce(MPI_IN_PLACE, sums, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void prepare(void) {
    inverse_diagonal = room(count, sizeof *inverse_diagonal);
    right_side = room(count, sizeof *right_side);
    solution = room(count, sizeof *solution);
    residual = room(count, sizeof *residual);
    product = room(count, sizeof *product);
    direction = room(count + ghosts, sizeof *direction);
    for (int row = 0; row < count; row++) {
        for (int entry = starts[row]; entry < starts[row + 1]; entry++) {
            if (columns[entry] == row) {
                inverse_diagonal[row] = 1 / values[entry];
            }
        }
    }
    for (int i = 0; i < count + ghosts; i++) {
        direction[i] = 1;
    }
    multiply(direction, right_side);
}

/* Starts from zero. Stores r.z and r.r of all ranks. */
static void start(double *sums) {
    sums[0] = sums[1] = 0;
    for (int row = 0; row < count; row++) {
        solution[row] = 0;
        residual[row] = right_side[row];
        direction[row] = residual[row] * inverse_diagonal[row];
        sums[0] += residual[row] * direction[row];
        sums[1] += residual[row] * residual[row];
    }
    sum_all(sums, 2);
}

static double direction_times_product(void) {
    double sum = 0;
    for (int row = 0; row < count; row++) {
        sum += direction[row] * product[row];
    }
    return sum;
}

/* Moves along the direction. Stores this rank's share of r.z and r.r. */
static void step(double length, double *sums) {
    double rz = 0, rr = 0;
    for (int row = 0; row < count; row++) {
        solution[row] += length * direction[row];
        const double value = residual[row] - length * product[row];
        residual[row] = value;
        rz += value * value * inverse_diagonal[row];
        rr += value * value;
    }
    sums[0] = rz;
    sums[1] = rr;
}

static void turn(double beta) {
    for (int row = 0; row < count; row++) {
        direction[row] = residual[row] * inverse_diagonal[row] + beta * direction[row];
    }
}

/* Iterates, and stores the times of all parts of each iteration. Stores r.r of the last one and b.b. */
static void solve(int iterations, double *times[PARTS], double *norms) {
    double sums[2];
    start(sums);
    double rz = sums[0];
    norms[1] = sums[1];
    for (int i = 0; i < iterations; i++) {
        const long long begin = now();
        exchange();
        const long long exchanged = now();
        multiply(direction, product);
        double curvature = direction_times_product();
        const long long multiplied = now();
        sum_all(&curvature, 1);
        const long long summed = now();
        step(rz / curvature, sums);
        const long long stepped = now();
        sum_all(sums, 2);
        const long long reduced = now();
        turn(sums[0] / rz);
        rz = sums[0];
        const long long end = now();
        times[ITERATION][i] = end - begin;
        times[EXCHANGE][i] = exchanged - begin;
        times[REDUCE][i] = summed - multiplied + reduced - stepped;
        times[COMPUTE][i] = times[ITERATION][i] - times[EXCHANGE][i] - times[REDUCE][i];
    }
    norms[0] = sums[1];
}

static int ascending(const void *one, const void *other) {
    const double a = *(const double *)one, b = *(const double *)other;
    return a < b ? -1 : a > b;
}

int main(int length, char **words) {
    MPI_Init(&length, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (length != 3) {
        fprintf(stderr, "usage: cg GRID ITERATIONS\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    grid = atoi(words[1]);
    const int iterations = atoi(words[2]), solves = (LEAST_TIMED + iterations - 1) / iterations;
    int *firsts = partition();
    first = firsts[rank];
    count = firsts[rank + 1] - first;
    int *ghost_rows = fill_matrix();
    prepare();
    make_requests(firsts, ghost_rows);

    double *times[PARTS], *places[PARTS], medians[PARTS], totals[PARTS], norms[2];
    for (int part = 0; part < PARTS; part++) {
        times[part] = room((size_t)solves * iterations, sizeof **times);
    }
    solve(iterations, times, norms);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < solves; i++) {
        for (int part = 0; part < PARTS; part++) {
            places[part] = times[part] + (size_t)i * iterations;
        }
        solve(iterations, places, norms);
    }
    for (int part = 0; part < PARTS; part++) {
        qsort(times[part], (size_t)solves * iterations, sizeof **times, ascending);
        medians[part] = times[part][solves * iterations / 2];
    }
    int messages;
    double slowest;
    MPI_Reduce(&neighbours, &messages, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&medians[ITERATION], &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(medians, totals, PARTS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("cg %d %.17g %.17g %d %.0f %.0f %.0f %.0f\n", iterations, norms[0], norms[1], messages, slowest,
               totals[COMPUTE] / size, totals[EXCHANGE] / size, totals[REDUCE] / size);
    }
    for (int i = 0; i < 2 * neighbours; i++) {
        MPI_Request_free(&requests[i]);
    }
    MPI_Finalize();
    return 0;
}
