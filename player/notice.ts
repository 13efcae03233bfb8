import type { StopWords } from "./stop-words.ts";

/** Interval of the requests for a notice that changes, such as the progress of an asset, in ms. */
const REFRESH_MS = 1000;
const REQUEST_TIMEOUT_MS = 5000;

/**
 * Notices in place of the player. The server words them, also for a page without scripts (src/playback/page.ts), so they are requested
 * again rather than composed here.
 */
export class Notice {
  readonly #main: HTMLElement;
  #askedAt = -Infinity;
  #isOver = false;

  constructor(main: HTMLElement) {
    this.#main = main;
  }

  get #shown(): Element | null {
    return this.#main.querySelector(":scope > .notice");
  }

  /** Shows the server's notice unless one is shown. @param isChanging the shown one is replaced by a newer one, at most every `REFRESH_MS` */
  keep(isChanging: boolean): void {
    const isDue = performance.now() - this.#askedAt >= REFRESH_MS;
    if (isDue && (isChanging || this.#shown === null)) void this.refresh();
  }

  /** @returns whether the server has a notice for this page now */
  async refresh(): Promise<boolean> {
    this.#askedAt = performance.now();
    const next = await requestNotice();
    if (next === null || this.#isOver) return false;
    this.#replace(next);
    return true;
  }

  /** Call before the player is shown: ignores the notice that has been requested and has not arrived. */
  end(): void {
    this.#isOver = true;
  }

  /** After playback has stopped: the server's notice if it has one by now, such as that access has ended, otherwise `words`. */
  async showStopped(words: StopWords): Promise<void> {
    const next = await requestNotice();
    if (next === null) this.show(words);
    else this.#main.replaceChildren(next);
  }

  /** A notice about this player alone, of which the server knows nothing, with a button that loads the page again if that may help. */
  show({ heading, text, mayRetry }: StopWords): void {
    const notice = document.createElement("section");
    notice.className = "notice";
    notice.setAttribute("role", "alert");
    const title = document.createElement("h1");
    title.textContent = heading;
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    notice.append(title, paragraph);
    if (mayRetry) notice.append(reloadButton());
    this.#main.replaceChildren(notice);
  }

  /** Keeps the element while only its progress changes, because screen readers announce a new one. */
  #replace(next: Element): void {
    const shown = this.#shown;
    const [before, after] = [shown, next].map((notice) => notice?.querySelector("progress"));
    if (shown?.textContent !== next.textContent || !before !== !after) return this.#main.replaceChildren(next);
    if (before && after?.hasAttribute("value")) before.value = after.value;
  }
}

function reloadButton(): HTMLElement {
  const again = document.createElement("button");
  again.className = "quiet";
  again.textContent = "Try again";
  again.addEventListener("click", () => location.reload());
  return again;
}

/** The notice that the page has when it is loaded now; null when it has none, or cannot be loaded. */
async function requestNotice(): Promise<Element | null> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const text = await fetch(location.href, { cache: "no-store", headers: { accept: "text/html" }, signal })
    .then((answer) => answer.text())
    .catch(() => "");
  return new DOMParser().parseFromString(text, "text/html").querySelector("main > .notice");
}
