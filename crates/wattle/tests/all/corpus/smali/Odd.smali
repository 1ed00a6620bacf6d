# What no Java compiler writes: shapes of code that the format allows.
# The class has no source file and its methods no lines, so a stack trace shows positions of the code instead.
.class public Lcorpus/odd/Odd;
.super Ljava/lang/Object;

.field static count:I

.method public static print(Ljava/lang/String;I)V
    .registers 4
    new-instance v0, Ljava/lang/StringBuilder;
    invoke-direct {v0, p0}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    const/16 v1, 0x20
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(C)Ljava/lang/StringBuilder;
    invoke-virtual {v0, p1}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    invoke-static {v0}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V
    return-void
.end method

.method public static say(Ljava/lang/Object;)V
    .registers 2
    sget-object v0, Ljava/lang/System;->out:Ljava/io/PrintStream;
    invoke-virtual {v0, p0}, Ljava/io/PrintStream;->println(Ljava/lang/Object;)V
    return-void
.end method

.method public static thrown(Ljava/lang/Throwable;)V
    .registers 4
    invoke-static {p0}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V
    invoke-virtual {p0}, Ljava/lang/Throwable;->getStackTrace()[Ljava/lang/StackTraceElement;
    move-result-object v0
    const/4 v1, 0x0
    :more
    array-length v2, v0
    if-ge v1, v2, :done
    aget-object v2, v0, v1
    invoke-static {v2}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V
    add-int/lit8 v1, v1, 0x1
    goto :more
    :done
    return-void
.end method

# Nothing but the argument.
.method static same(I)I
    .registers 1
    return p0
.end method

.method static sameWide(J)J
    .registers 2
    return-wide p0
.end method

.method static sameText(Ljava/lang/String;)Ljava/lang/String;
    .registers 1
    return-object p0
.end method

# The first instruction is where a loop begins: it must be entered once.
.method static startLoop(I)I
    .registers 1
    :top
    add-int/lit8 p0, p0, -0x3
    if-gtz p0, :top
    return p0
.end method

# The first instruction is inside a try and where a loop begins; only an exception leaves.
.method static tryLoop(I)I
    .registers 2
    :top
    add-int/lit8 p0, p0, -0x1
    const/16 v0, 0x64
    div-int/2addr v0, p0
    goto :top
    :end
    .catch Ljava/lang/ArithmeticException; {:top .. :end} :over
    :over
    return p0
.end method

# The handler stands before what it covers.
.method static handlerFirst(I)Ljava/lang/String;
    .registers 3
    goto :begin
    :handler
    move-exception v0
    invoke-virtual {v0}, Ljava/lang/Throwable;->getMessage()Ljava/lang/String;
    move-result-object v1
    return-object v1
    :begin
    div-int v0, p0, p0
    :end
    .catch Ljava/lang/ArithmeticException; {:begin .. :end} :handler
    const-string v1, "fine"
    return-object v1
.end method

.method static stumble()V
    .registers 3
    sget v0, Lcorpus/odd/Odd;->count:I
    add-int/lit8 v0, v0, 0x1
    sput v0, Lcorpus/odd/Odd;->count:I
    const/4 v1, 0x4
    if-ge v0, v1, :fine
    new-instance v2, Ljava/lang/IllegalStateException;
    invoke-direct {v2}, Ljava/lang/IllegalStateException;-><init>()V
    throw v2
    :fine
    return-void
.end method

# The handler is covered by itself.
.method static selfCovering()I
    .registers 2
    const/4 v1, 0x0
    sput v1, Lcorpus/odd/Odd;->count:I
    :start
    invoke-static {}, Lcorpus/odd/Odd;->stumble()V
    return v1
    :handler
    move-exception v0
    add-int/lit8 v1, v1, 0x1
    invoke-static {}, Lcorpus/odd/Odd;->stumble()V
    add-int/lit8 v1, v1, 0x64
    return v1
    :end
    .catchall {:start .. :end} :handler
.end method

# Handlers that do not look at the exception, one of them the first after a return.
.method static blindHandler(I)I
    .registers 2
    :start
    const/16 v0, 0x64
    div-int/2addr v0, p0
    :end
    .catchall {:start .. :end} :handler
    return v0
    :handler
    nop
    const/4 v0, -0x1
    return v0
.end method

# The whole method is covered, returns included; the handler ends by throwing what it caught.
.method static coveredWhole(I)I
    .registers 3
    :start
    invoke-static {p0}, Lcorpus/odd/Odd;->same(I)I
    move-result v0
    if-eqz v0, :zero
    const/16 v1, 0x14
    div-int/2addr v1, v0
    return v1
    :zero
    div-int/2addr v0, p0
    return v0
    :end
    .catch Ljava/lang/NullPointerException; {:start .. :end} :null
    .catchall {:start .. :end} :any
    :null
    const/4 v0, -0x2
    return v0
    :any
    move-exception v0
    invoke-static {v0}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V
    throw v0
.end method

# Tables between the code, an odd number of bytes, code that nobody reaches, jumps to the next instruction.
.method static tables(I)I
    .registers 4
    const/4 v0, 0x3
    new-array v0, v0, [B
    fill-array-data v0, :bytes
    goto/32 :over
    :bytes
    .array-data 1
        0x1t
        0x2t
        0x7t
    .end array-data
    nop
    nop
    const/4 v1, 0x0
    return v1
    :over
    const/16 v1, 0x9
    if-eqz p0, :next
    :next
    goto/16 :again
    :again
    packed-switch p0, :packed
    sparse-switch p0, :sparse
    const/4 v1, -0x1
    return v1
    :first
    const/4 v1, 0x0
    aget-byte v1, v0, v1
    return v1
    :packed
    .packed-switch -0x1
        :first
        :self
        :third
    .end packed-switch
    :third
    const/4 v1, 0x2
    aget-byte v1, v0, v1
    :self
    add-int/lit8 p0, p0, 0x1
    packed-switch p0, :packed_again
    return v1
    :packed_again
    .packed-switch 0x1
        :self
    .end packed-switch
    :sparse
    .sparse-switch
        -0x80000000 -> :first
        0x7fffffff -> :third
    .end sparse-switch
.end method

# No return at all.
.method static never(I)V
    .registers 2
    new-instance v0, Ljava/lang/IllegalArgumentException;
    invoke-direct {v0}, Ljava/lang/IllegalArgumentException;-><init>()V
    throw v0
.end method

# One return that several branches reach, with a zero that is a number here and no object there.
.method static shared(ILjava/lang/String;)Ljava/lang/Object;
    .registers 4
    const/4 v0, 0x0
    if-eqz p0, :out
    move-object v0, p1
    if-ltz p0, :out
    const/4 v1, 0x0
    move v0, v1
    const/4 v1, 0x5
    if-gt p0, v1, :out
    const-string v0, "small"
    :out
    return-object v0
.end method

# An argument's register gets other types, halves of wide values among them.
.method static reused(IJLjava/lang/Object;)J
    .registers 5
    int-to-long p0, p0
    add-long/2addr p0, p0
    const/4 p2, 0x1
    const/4 p3, 0x2
    add-int/2addr p2, p3
    const-string p3, "text"
    invoke-virtual {p3}, Ljava/lang/String;->length()I
    move-result p3
    int-to-long p2, p3
    add-long/2addr p0, p2
    return-wide p0
.end method

# All monitor work is covered, the exits included, as javac writes it.
.method static held(Ljava/lang/Object;I)I
    .registers 4
    monitor-enter p0
    :start
    const/16 v0, 0x64
    div-int/2addr v0, p1
    monitor-exit p0
    :end
    return v0
    :handler
    move-exception v1
    :again
    monitor-exit p0
    :done
    throw v1
    .catchall {:start .. :end} :handler
    .catchall {:again .. :done} :handler
.end method

# An exception would fly with the monitor held.
.method static leaking(Ljava/lang/Object;I)I
    .registers 4
    monitor-enter p0
    const/16 v0, 0x64
    div-int/2addr v0, p1
    monitor-exit p0
    return v0
.end method

.method public static main([Ljava/lang/String;)V
    .registers 8
    const/4 v6, -0x2
    :round
    const-string v0, "same"
    invoke-static {v6}, Lcorpus/odd/Odd;->same(I)I
    move-result v1
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    int-to-long v2, v6
    invoke-static {v2, v3}, Lcorpus/odd/Odd;->sameWide(J)J
    move-result-wide v2
    long-to-int v1, v2
    const-string v0, "sameWide"
    invoke-static {v0}, Lcorpus/odd/Odd;->sameText(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v0
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    const-string v0, "startLoop"
    const/16 v1, 0xa
    add-int/2addr v1, v6
    invoke-static {v1}, Lcorpus/odd/Odd;->startLoop(I)I
    move-result v1
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    const-string v0, "tryLoop"
    const/4 v1, 0x7
    add-int/2addr v1, v6
    invoke-static {v1}, Lcorpus/odd/Odd;->tryLoop(I)I
    move-result v1
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    invoke-static {v6}, Lcorpus/odd/Odd;->handlerFirst(I)Ljava/lang/String;
    move-result-object v0
    invoke-static {v0}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V
    const-string v0, "blindHandler"
    invoke-static {v6}, Lcorpus/odd/Odd;->blindHandler(I)I
    move-result v1
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    const-string v0, "tables"
    invoke-static {v6}, Lcorpus/odd/Odd;->tables(I)I
    move-result v1
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    const-string v0, "shared"
    invoke-static {v6, v0}, Lcorpus/odd/Odd;->shared(ILjava/lang/String;)Ljava/lang/Object;
    move-result-object v0
    invoke-static {v0}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V
    const-wide/16 v2, 0x9
    const/4 v0, 0x0
    move v1, v6
    invoke-static {v1, v2, v3, v0}, Lcorpus/odd/Odd;->reused(IJLjava/lang/Object;)J
    move-result-wide v2
    long-to-int v1, v2
    const-string v0, "reused"
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    :try_whole
    invoke-static {v6}, Lcorpus/odd/Odd;->coveredWhole(I)I
    move-result v1
    const-string v0, "coveredWhole"
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    const-string v0, "held"
    invoke-static {v0, v6}, Lcorpus/odd/Odd;->held(Ljava/lang/Object;I)I
    move-result v1
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    :try_whole_end
    .catch Ljava/lang/RuntimeException; {:try_whole .. :try_whole_end} :caught
    :rest
    :try_never
    invoke-static {v6}, Lcorpus/odd/Odd;->never(I)V
    :try_never_end
    .catch Ljava/lang/RuntimeException; {:try_never .. :try_never_end} :caught_never
    :next
    add-int/lit8 v6, v6, 0x1
    const/16 v0, 0x8
    if-lt v6, v0, :round
    const-string v0, "selfCovering"
    invoke-static {}, Lcorpus/odd/Odd;->selfCovering()I
    move-result v1
    :print_last
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    :self_end
    const/4 v1, 0x3
    const-string v0, "leaking"
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->leaking(Ljava/lang/Object;I)I
    move-result v1
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V
    # Nobody catches this one.
    const/4 v1, 0x0
    invoke-static {v0, v1}, Lcorpus/odd/Odd;->leaking(Ljava/lang/Object;I)I
    return-void
    :caught
    move-exception v0
    invoke-static {v0}, Lcorpus/odd/Odd;->thrown(Ljava/lang/Throwable;)V
    goto :rest
    :caught_never
    move-exception v0
    invoke-static {v0}, Lcorpus/odd/Odd;->thrown(Ljava/lang/Throwable;)V
    goto :next
    :self
    move-exception v0
    const/4 v1, -0x7
    const-string v0, "selfCovering left"
    goto :print_last
    .catchall {:next .. :print_last} :self
.end method
