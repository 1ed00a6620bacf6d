package org.junit;

import java.lang.annotation.*;

@Retention(RetentionPolicy.RUNTIME)
public @interface Ignore {}
