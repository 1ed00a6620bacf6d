# Constructors with work before the call of the superclass, objects that stay unfinished over branches.
.class public Lcorpus/odd/Made;
.super Ljava/lang/Object;
.source "Made.smali"

.field final text:Ljava/lang/String;

# Branches, loops and a caught exception before the object exists.
.method public constructor <init>(I)V
    .registers 5
    .line 10
    if-eqz p1, :zero
    const-string v0, "some"
    goto :join
    :zero
    .line 11
    const-string v0, "none"
    :join
    const/4 v1, 0x0
    :loop
    add-int/lit8 v1, v1, 0x1
    if-lt v1, p1, :loop
    :start
    .line 12
    const/16 v2, 0x64
    div-int/2addr v2, p1
    :end
    .catch Ljava/lang/ArithmeticException; {:start .. :end} :divided
    :go
    .line 13
    invoke-direct {p0}, Ljava/lang/Object;-><init>()V
    .line 14
    iput-object v0, p0, Lcorpus/odd/Made;->text:Ljava/lang/String;
    return-void
    :divided
    move-exception v2
    const-string v0, "divided"
    goto :go
.end method

# The object under construction is moved, and its register used again.
.method public constructor <init>(J)V
    .registers 5
    .line 20
    move-object v0, p0
    const/4 p0, 0x0
    .line 21
    invoke-direct {v0}, Ljava/lang/Object;-><init>()V
    invoke-static {p1, p2}, Ljava/lang/Long;->toString(J)Ljava/lang/String;
    move-result-object v1
    iput-object v1, v0, Lcorpus/odd/Made;->text:Ljava/lang/String;
    return-void
.end method

# It throws before the object exists.
.method public constructor <init>()V
    .registers 2
    .line 30
    const/4 v0, 0x0
    .line 31
    throw v0
.end method

# Never finished: an endless loop in front, left by an exception.
.method public constructor <init>([I)V
    .registers 4
    const/4 v0, 0x0
    :top
    .line 40
    aget v1, p1, v0
    add-int/lit8 v0, v0, 0x1
    goto :top
.end method

.method public static main([Ljava/lang/String;)V
    .registers 6
    .line 50
    const/4 v4, 0x0
    :round
    # new-instance, then branches, then the constructor.
    new-instance v0, Lcorpus/odd/Made;
    if-eqz v4, :plain
    const/4 v1, 0x1
    if-eq v4, v1, :wide
    invoke-direct {v0, v4}, Lcorpus/odd/Made;-><init>(I)V
    goto :made
    :plain
    invoke-direct {v0, v4}, Lcorpus/odd/Made;-><init>(I)V
    goto :made
    :wide
    int-to-long v2, v4
    invoke-direct {v0, v2, v3}, Lcorpus/odd/Made;-><init>(J)V
    :made
    iget-object v1, v0, Lcorpus/odd/Made;->text:Ljava/lang/String;
    invoke-static {v1}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V
    add-int/lit8 v4, v4, 0x1
    const/4 v1, 0x4
    if-lt v4, v1, :round
    :start
    .line 51
    new-instance v0, Lcorpus/odd/Made;
    invoke-direct {v0}, Lcorpus/odd/Made;-><init>()V
    :end
    .catchall {:start .. :end} :caught
    return-void
    :caught
    move-exception v1
    invoke-static {v1}, Lcorpus/odd/Odd;->thrown(Ljava/lang/Throwable;)V
    :start2
    .line 52
    new-instance v0, Lcorpus/odd/Made;
    const/4 v2, 0x2
    new-array v2, v2, [I
    invoke-direct {v0, v2}, Lcorpus/odd/Made;-><init>([I)V
    :end2
    .catchall {:start2 .. :end2} :caught2
    return-void
    :caught2
    move-exception v1
    invoke-static {v1}, Lcorpus/odd/Odd;->thrown(Ljava/lang/Throwable;)V
    return-void
.end method
