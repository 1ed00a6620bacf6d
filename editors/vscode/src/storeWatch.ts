// Watching the history, so that runs that are kept elsewhere are shown.

import { stat } from "node:fs/promises";
import { join } from "node:path";

/** The time between two looks, in milliseconds. */
const PAUSE = 3000;

/** Looks at the files of a history and calls when they have changed. */
export class StoreWatch {
  private timer: NodeJS.Timeout | undefined;
  private folder: string | undefined;
  private seen: string | undefined;

  constructor(private readonly changed: () => void) {}

  dispose(): void {
    clearInterval(this.timer);
  }

  /** Watches the history in a folder from now on, or none. */
  follow(folder: string | undefined): void {
    if (folder === this.folder) return;
    clearInterval(this.timer);
    this.folder = folder;
    this.seen = undefined;
    if (folder === undefined) return;
    this.timer = setInterval(() => void this.look(folder), PAUSE);
    void this.look(folder);
  }

  private async look(folder: string): Promise<void> {
    // Whoever only reads makes an empty journal.
    const times = ["history.db", "history.db-wal"].map((name) =>
      stat(join(folder, name)).then(
        (facts) => (facts.size > 0 ? facts.mtimeMs : 0),
        () => 0,
      ),
    );
    const now = (await Promise.all(times)).join(" ");
    if (folder !== this.folder) return;
    const isOther = this.seen !== undefined && this.seen !== now;
    this.seen = now;
    if (isOther) this.changed();
  }
}
