/** workerd reports an error of the Worker's code under this name. */
const LOAD_ERROR = "service core:user:";
/** Longer than a start takes: wrangler may print a build error and wait for its correction. */
const HOLD_LIMIT_MS = 30_000;
/** Enough for wrangler's output of one start. */
const KEPT_CHARS = 64_000;

/**
 * Holds back wrangler's output until it is known whether the Worker loads: wrangler prints an error of loading in a hundred lines, again at each
 * restart.
 */
export class HeldOutput {
  private readonly write: (text: string) => void;
  private held: string | null = "";
  private timer: NodeJS.Timeout | undefined;
  /** The last output, printed or not. */
  recent = "";

  constructor(write: (text: string) => void) {
    this.write = write;
    this.hold();
  }

  add(text: string): void {
    this.recent = (this.recent + text).slice(-KEPT_CHARS);
    if (this.held === null && text.includes(LOAD_ERROR)) this.hold();
    if (this.held === null) this.write(text);
    else this.held += text;
  }

  private hold(): void {
    this.held = "";
    this.timer = setTimeout(() => this.release(), HOLD_LIMIT_MS).unref();
  }

  /** Prints the held output, and everything from here on. */
  release(): void {
    if (this.held) this.write(this.held);
    this.drop();
  }

  /** Drops the held output, and prints everything from here on. */
  drop(): void {
    clearTimeout(this.timer);
    this.held = null;
  }
}
