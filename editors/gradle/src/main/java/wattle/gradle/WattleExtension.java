package wattle.gradle;

import java.util.ArrayList;
import java.util.List;

/** What the block `wattle { … }` of a build script sets. Files are anything that `project.file` takes. */
public class WattleExtension {
    private String program = "wattle";
    private String variant = "debug";
    private Object apk;
    private Object testApk;
    private Object mapping;
    private Boolean withTests;
    private String device;
    private String commit;
    private boolean keep = true;
    private List<String> tests = new ArrayList<>();
    private List<String> arguments = new ArrayList<>();

    /** The program: a name on the PATH, or a path. */
    public String getProgram() {
        return program;
    }

    public void setProgram(String program) {
        this.program = program;
    }

    /** The variant that is measured: {@code debug}, {@code freeRelease}. */
    public String getVariant() {
        return variant;
    }

    public void setVariant(String variant) {
        this.variant = variant;
    }

    /** The app's package; without it, the one that was built of the variant. */
    public Object getApk() {
        return apk;
    }

    public void setApk(Object apk) {
        this.apk = apk;
    }

    /** The package of the tests; without it, the one that was built of the variant. */
    public Object getTestApk() {
        return testApk;
    }

    public void setTestApk(Object testApk) {
        this.testApk = testApk;
    }

    /** {@code mapping.txt} of R8 or ProGuard; without it, that of the variant where there is one. */
    public Object getMapping() {
        return mapping;
    }

    public void setMapping(Object mapping) {
        this.mapping = mapping;
    }

    /** Whether tests run; without it, whether the module has a folder {@code src/androidTest}. */
    public Boolean getWithTests() {
        return withTests;
    }

    public void setWithTests(Boolean withTests) {
        this.withTests = withTests;
    }

    /** Serial number of the device. */
    public String getDevice() {
        return device;
    }

    public void setDevice(String device) {
        this.device = device;
    }

    /** The commit of the code; without it, the program asks git in the project's folder, also whether files were changed. */
    public String getCommit() {
        return commit;
    }

    public void setCommit(String commit) {
        this.commit = commit;
    }

    /** Whether the run is kept in the history. */
    public boolean isKeep() {
        return keep;
    }

    public void setKeep(boolean keep) {
        this.keep = keep;
    }

    /** Tests that run: {@code Class} or {@code Class#method,method}; without them, all. */
    public List<String> getTests() {
        return tests;
    }

    public void setTests(List<String> tests) {
        this.tests = tests;
    }

    /** Further arguments of {@code wattle run}. */
    public List<String> getArguments() {
        return arguments;
    }

    public void setArguments(List<String> arguments) {
        this.arguments = arguments;
    }
}
