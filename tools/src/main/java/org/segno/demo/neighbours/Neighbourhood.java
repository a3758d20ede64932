package org.segno.demo.neighbours;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Neighbours of each rank in a torus. In a short dimension, several directions may lead to the same neighbour. */
final class Neighbourhood {
    private final int[] shape;
    private final List<int[]> directions;

    private Neighbourhood(int[] shape, List<int[]> directions) {
        this.shape = shape;
        this.directions = directions;
    }

    /** Returns the neighbours one step along one dimension: two for each dimension. */
    static Neighbourhood ofFaces(int count, int dimensions) {
        return of(count, dimensions, 1);
    }

    /** Returns the neighbours one step along any dimensions at once, including edges and corners. */
    static Neighbourhood ofAll(int count, int dimensions) {
        return of(count, dimensions, dimensions);
    }

    private static Neighbourhood of(int count, int dimensions, int mostSteps) {
        final List<int[]> directions = new ArrayList<>();
        final int all = (int) Math.pow(3, dimensions);
        for (int code = 0; code < all; code++) {
            final int[] step = new int[dimensions];
            for (int dimension = 0, rest = code; dimension < dimensions; dimension++, rest /= 3) {
                step[dimension] = rest % 3 - 1;
            }
            final long steps = IntStream.of(step).filter(one -> one != 0).count();
            if (steps > 0 && steps <= mostSteps) {
                directions.add(step);
            }
        }
        return new Neighbourhood(shape(count, dimensions), directions);
    }

    /** Returns factors of {@code count}, as close to each other as prime factors allow, largest first. */
    private static int[] shape(int count, int dimensions) {
        final List<Integer> primes = new ArrayList<>();
        int rest = count;
        for (int prime = 2; rest > 1; prime++) {
            while (rest % prime == 0) {
                primes.add(0, prime);
                rest /= prime;
            }
        }
        final int[] shape = new int[dimensions];
        Arrays.fill(shape, 1);
        for (final int prime : primes) {
            shape[0] *= prime;
            Arrays.sort(shape);
        }
        return IntStream.range(0, dimensions)
                .map(i -> shape[dimensions - 1 - i])
                .toArray();
    }

    /** Returns the number of directions. The opposite of the first direction is the last one, and so on. */
    int directions() {
        return directions.size();
    }

    int opposite(int direction) {
        return directions.size() - 1 - direction;
    }

    /** Returns the neighbour of {@code rank} in a direction. */
    int neighbour(int rank, int direction) {
        final int[] step = directions.get(direction);
        int neighbour = 0;
        int rest = rank;
        int stride = 1;
        for (int dimension = 0; dimension < shape.length; dimension++) {
            neighbour += Math.floorMod(rest % shape[dimension] + step[dimension], shape[dimension]) * stride;
            rest /= shape[dimension];
            stride *= shape[dimension];
        }
        return neighbour;
    }

    /** Returns a description: {@code 26 neighbours in a torus of 4 x 4 x 4}. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(directions.size() + " neighbours in a torus of " + shape[0]);
        IntStream.of(shape).skip(1).forEach(extent -> text.append(" x ").append(extent));
        return text.toString();
    }
}
