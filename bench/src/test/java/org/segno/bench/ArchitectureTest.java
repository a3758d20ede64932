package org.segno.bench;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Check of the levels of the benchmark's packages; a reversed table shows that the check can fail. */
class ArchitectureTest {
    private static final String ROOT = "org.segno";

    /** Packages from the lowest level to the top. A package depends only on packages of lower levels. */
    private static final List<Set<String>> LEVELS = List.of(
            Set.of("bench.experiment", "bench.jmh", "bench.demos"),
            Set.of("bench.udp"),
            Set.of("bench.harness", "bench.limit", "bench.peer", "bench.segno", "bench.parts", "bench.mpi"),
            Set.of("bench.report"),
            Set.of(
                    "bench.collective",
                    "bench.death",
                    "bench.idle",
                    "bench.load",
                    "bench.solver",
                    "bench.split",
                    "bench.recovery",
                    "bench.goals"),
            Set.of("bench"));

    /** Locations of test classes, as Maven and others name them, and of classes that JMH generates. */
    private static final Pattern OTHERS = Pattern.compile(".*/test(-classes)?/org/segno/.*|.*/jmh_generated/.*");

    private static final JavaClasses BENCH = productClasses("org.segno.bench");

    private static final Set<String> PACKAGES =
            BENCH.stream().map(ArchitectureTest::partOf).collect(toCollection(TreeSet::new));

    @Test
    void shouldGiveEveryPackageALevel() {
        final Set<String> listed = new HashSet<>();
        LEVELS.forEach(listed::addAll);

        assertThat(listed).containsAll(PACKAGES);
    }

    @Test
    void shouldDependOnlyOnLowerLevels() {
        rules(LEVELS).forEach(rule -> rule.check(BENCH));
    }

    @Test
    void shouldReportADependencyOnAHigherLevel() {
        final List<Set<String>> reversed = new ArrayList<>(LEVELS);
        Collections.reverse(reversed);

        assertThat(rules(reversed).stream()
                        .map(rule -> rule.evaluate(BENCH).getFailureReport().toString()))
                .anyMatch(failure -> failure.contains("org.segno.bench.death.DeathCommand"))
                .anyMatch(failure -> failure.contains("org.segno.bench.Bench"));
    }

    @Test
    void shouldMarkEveryPackageForNullness() {
        assertThat(PACKAGES)
                .allMatch(name -> BENCH.getPackage(ROOT + "." + name).isAnnotatedWith(NullMarked.class));
    }

    @Test
    void shouldGiveNoTwoClassesOfTheProductOneName() {
        final List<String> names = productClasses(ROOT).stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .map(JavaClass::getSimpleName)
                .toList();
        final Set<String> unique = new HashSet<>(names);

        assertThat(unique).contains("Node", "ShmPeer", "Segno", "Bench");
        assertThat(names.stream().filter(name -> !unique.remove(name))).isEmpty();
    }

    private static JavaClasses productClasses(String... packages) {
        return new ClassFileImporter()
                .withImportOption(location -> !location.matches(OTHERS))
                .importPackages(packages);
    }

    /**
     * Returns one rule for each package: within this module, it depends on itself and on packages of lower levels
     * alone.
     */
    private static List<ArchRule> rules(List<Set<String>> levels) {
        final List<ArchRule> rules = new ArrayList<>();
        final Set<String> allowed = new HashSet<>();
        for (final Set<String> level : levels) {
            for (final String own : level) {
                final Set<String> permitted = new HashSet<>(allowed);
                permitted.add(own);
                rules.add(noClasses()
                        .that(describe("lie in " + own, type -> partOf(type).equals(own)))
                        .should()
                        .dependOnClassesThat(describe(
                                "lie in a package that is not below it: " + allowed,
                                type -> PACKAGES.contains(partOf(type)) && !permitted.contains(partOf(type))))
                        .allowEmptyShould(true));
            }
            allowed.addAll(level);
        }
        return rules;
    }

    /** Returns the name of a class's package below the root. */
    private static String partOf(JavaClass type) {
        return type.getBaseComponentType().getPackageName().replaceFirst("^org\\.segno\\.", "");
    }
}
