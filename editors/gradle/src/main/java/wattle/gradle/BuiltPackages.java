package wattle.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;

/** The packages that Android's plugin wrote below {@code build/outputs}. */
final class BuiltPackages {
    private static final String TESTS = "androidTest";

    private final File outputs;

    BuiltPackages(File buildFolder) {
        outputs = new File(buildFolder, "outputs");
    }

    /** The only package of a variant. */
    File apk(String variant) {
        return only(folders(new File(outputs, "apk"), "", false), variant, "apk");
    }

    /** The only package with tests of a variant. */
    File testApk(String variant) {
        return only(folders(new File(new File(outputs, "apk"), TESTS), "", true), variant, "testApk");
    }

    /** The mapping of a variant; null where nothing was shrunk. */
    File mapping(String variant) {
        File file = new File(new File(new File(outputs, "mapping"), variant), "mapping.txt");
        return file.isFile() ? file : null;
    }

    private static File only(List<Folder> folders, String variant, String setting) {
        List<File> found = new ArrayList<>();
        for (Folder folder : folders) {
            if (folder.variant.equalsIgnoreCase(variant)) {
                found.addAll(folder.packages);
            }
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        String names = folders.stream().map(folder -> folder.variant).collect(Collectors.joining(", "));
        if (found.isEmpty()) {
            throw new GradleException("no package of the variant " + variant + " was built"
                    + (names.isEmpty() ? "" : " (there are: " + names + ")") + "; build it, or set wattle { " + setting + " = … }");
        }
        String files = found.stream().map(File::getName).collect(Collectors.joining(", "));
        throw new GradleException("the variant " + variant + " has " + found.size() + " packages (" + files + "); set wattle { " + setting + " = … }");
    }

    /** Folders with packages: {@code free/debug} is the variant {@code freeDebug}. */
    private static List<Folder> folders(File folder, String variant, boolean isOfTests) {
        List<Folder> found = new ArrayList<>();
        File[] files = folder.listFiles();
        if (files == null) {
            return found;
        }
        Arrays.sort(files);
        List<File> packages = Arrays.stream(files).filter(file -> file.isFile() && file.getName().endsWith(".apk")).collect(Collectors.toList());
        if (!packages.isEmpty()) {
            found.add(new Folder(variant, packages));
        }
        for (File inner : files) {
            boolean isOther = !isOfTests && variant.isEmpty() && inner.getName().equals(TESTS);
            if (inner.isDirectory() && !isOther) {
                String name = variant.isEmpty() ? inner.getName() : variant + capitalized(inner.getName());
                found.addAll(folders(inner, name, isOfTests));
            }
        }
        return found;
    }

    static String capitalized(String name) {
        return name.isEmpty() ? name : Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    private static final class Folder {
        final String variant;
        final List<File> packages;

        Folder(String variant, List<File> packages) {
            this.variant = variant;
            this.packages = packages;
        }
    }
}
