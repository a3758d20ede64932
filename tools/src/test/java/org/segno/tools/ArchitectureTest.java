package org.segno.tools;

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
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Holds the command to the levels of its packages, and shows on a reversed table that the rule can fail. */
class ArchitectureTest {
    private static final String ROOT = "org.segno.tools";

    /** The packages from the lowest level to the top. A package knows only packages of lower levels. */
    private static final List<Set<String>> LEVELS = List.of(
            Set.of("output"),
            Set.of("command", "inspect.record", "demo.matrix"),
            Set.of("process", "program", "observe", "demo.solver"),
            Set.of("run.plan", "inspect", "clean", "demo.halo"),
            Set.of("run.process", "demo.rank"),
            Set.of("run.job"),
            Set.of("run"),
            Set.of("demo.ways"),
            Set.of("demo.pieces"),
            Set.of("demo.cg", "demo.fourier", "demo.neighbours", "demo.spikes"),
            Set.of("demo"),
            Set.of("doctor"),
            Set.of(""));

    /** The classes of the product, read from the place that {@link Segno} was loaded from. */
    private static final JavaClasses TOOLS = new ClassFileImporter()
            .importUrl(Segno.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void shouldGiveEveryPackageALevel() {
        final Set<String> listed = new HashSet<>();
        LEVELS.forEach(listed::addAll);

        assertThat(listed).containsAll(packages());
    }

    @Test
    void shouldKnowOnlyLowerLevels() {
        rules(LEVELS).forEach(rule -> rule.check(TOOLS));
    }

    @Test
    void shouldReportAPackageThatKnowsAHigherLevel() {
        final List<Set<String>> reversed = new ArrayList<>(LEVELS);
        Collections.reverse(reversed);

        assertThat(rules(reversed).stream()
                        .map(rule -> rule.evaluate(TOOLS).getFailureReport().toString()))
                .anyMatch(failure -> failure.contains("org.segno.tools.run.RunCommand"))
                .anyMatch(failure -> failure.contains("org.segno.tools.Segno"));
    }

    @Test
    void shouldMarkEveryPackageForNullness() {
        assertThat(packages()).allMatch(name -> TOOLS.getPackage(name.isEmpty() ? ROOT : ROOT + "." + name)
                .isAnnotatedWith(NullMarked.class));
    }

    /** Returns one rule for each package: it depends on itself and on packages of lower levels alone. */
    private static List<ArchRule> rules(List<Set<String>> levels) {
        final List<ArchRule> rules = new ArrayList<>();
        final Set<String> lower = new HashSet<>();
        for (final Set<String> level : levels) {
            for (final String own : level) {
                final Set<String> allowed = new HashSet<>(lower);
                allowed.add(own);
                rules.add(noClasses()
                        .that(describe("lie in '" + own + "'", type -> partOf(type).equals(own)))
                        .should()
                        .dependOnClassesThat(describe(
                                "lie in a package of this module above " + lower,
                                type -> type.getPackageName().startsWith(ROOT) && !allowed.contains(partOf(type))))
                        .allowEmptyShould(true));
            }
            lower.addAll(level);
        }
        return rules;
    }

    private static Set<String> packages() {
        return TOOLS.stream().map(ArchitectureTest::partOf).collect(toCollection(TreeSet::new));
    }

    /** Returns the name of a class's package below the root, empty for the root itself. */
    private static String partOf(JavaClass type) {
        final String name = type.getBaseComponentType().getPackageName();
        return name.equals(ROOT) ? "" : name.replace(ROOT + ".", "");
    }
}
