/** The page of an upload: sends a file over tus, and continues after a pause, a lost connection or a reload. */
import { DetailedError, Upload } from "tus-js-client";
import { figuresText, sizeText, UploadSpeed } from "./upload-figures.ts";

const CHUNK_BYTES = 8 * 1024 * 1024;
/** A connection that is lost for longer is tried again after a pause, by the button, or when the browser is online again. */
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];
const LOST_PAUSE_MS = 15_000;
/** After so long without progress the page says what it waits for. */
const STALL_MS = 3000;

const section = document.querySelector<HTMLElement>("#upload")!;
const part = <T extends HTMLElement = HTMLElement>(selector: string) => section.querySelector<T>(selector)!;
const [drop, input, state] = [part(".drop"), part<HTMLInputElement>("input"), part(".state")];
const [running, progress, figures] = [part(".running"), part<HTMLProgressElement>("progress"), part(".figures")];
const [pause, watch] = [part<HTMLButtonElement>(".pause"), part(".watch")];

const url = section.dataset["url"]!;
const storedBytes = Number(section.dataset["stored"]);
const knownTotal = section.dataset["total"] === "" ? null : Number(section.dataset["total"]);
const speed = new UploadSpeed();
let sent: [bytes: number, totalBytes: number] | null = null;

if (storedBytes > 0 && knownTotal !== null) {
  const percent = Math.floor((storedBytes / knownTotal) * 100);
  state.textContent = `${percent} % has arrived. Choose the same file (${sizeText(knownTotal)}) again to continue.`;
}

input.addEventListener("change", () => void choose(input.files?.[0]));
for (const type of ["dragenter", "dragover"])
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
for (const type of ["dragleave", "drop"]) drop.addEventListener(type, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  void choose(event.dataTransfer?.files[0]);
});

let chosen: File | null = null;

async function choose(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  chosen = file;
  const refusal = await announce(file);
  input.value = "";
  if (refusal === null) return send(file);
  state.textContent = refusal;
  if (navigator.onLine) return;
  state.textContent = "There is no connection. The upload begins when there is one.";
  await new Promise((done) => window.addEventListener("online", done, { once: true }));
  if (chosen === file) void choose(file); // unless another one was chosen meanwhile
}

/** States the file's length. @returns why the file cannot be sent; null = it can */
async function announce(file: File): Promise<string | null> {
  if (file.size === 0) return "This file is empty.";
  try {
    const { status } = await fetch(url, { method: "PUT", headers: { "content-range": `bytes */${file.size}` } });
    if (status === 308 || status === 200) return null;
    if (status === 400) return "This is another file than the one that was begun. Choose that one to continue.";
    if (status === 413) return "This file is too large.";
    return status === 410 ? "This upload is over. Ask for a new link." : "This did not work. Try again.";
  } catch {
    return "There is no connection. Try again.";
  }
}

function send(file: File): void {
  let isLost = false;
  let later: ReturnType<typeof setTimeout> | undefined;
  const resume = () => {
    isLost = false;
    clearTimeout(later);
    showPaused(false);
    state.textContent = file.name;
    sending.start();
  };
  const sending: Upload = new Upload(file, {
    uploadUrl: url,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    storeFingerprintForResuming: false, // the page's address is what an upload is continued by
    onProgress: showProgress,
    onSuccess: () => {
      clearTimeout(stall);
      running.hidden = true;
      state.textContent = `${file.name} has been uploaded.`;
      void showOutcome(file.name);
    },
    onError: (error) => {
      showPaused(true);
      if (isRefusal(error)) {
        state.textContent = "The server refused the file. Ask for a new link.";
        return;
      }
      state.textContent = "The connection was lost.";
      isLost = true;
      if (!navigator.onLine) return; // the event `online` continues
      state.textContent = "The connection was lost. The next try is in a few seconds.";
      later = setTimeout(resume, LOST_PAUSE_MS);
    },
  });
  [drop.hidden, running.hidden, watch.hidden] = [true, false, false];
  state.textContent = file.name;
  pause.addEventListener("click", () => {
    if (pause.dataset["paused"] === "true") resume();
    else {
      showPaused(true);
      void sending.abort();
    }
  });
  window.addEventListener("online", () => void (isLost && resume()));
  showPaused(false);
  sending.start();
}

/** An answer that the same request would get again, such as that the upload is over. */
function isRefusal(error: Error | DetailedError): boolean {
  const status = error instanceof DetailedError ? (error.originalResponse?.getStatus() ?? 0) : 0;
  return status >= 400 && status < 500;
}

/** How long the outcome is waited for. Processing takes longer, but a file that is no video is refused at once. */
const [OUTCOME_POLLS, OUTCOME_PAUSE_MS] = [30, 1000];

/** Says that the file cannot be played, or that it plays. The status of the video's page tells. */
async function showOutcome(name: string): Promise<void> {
  const page = watch.querySelector("a")?.href ?? "";
  for (let poll = 0; poll < OUTCOME_POLLS; poll += 1) {
    const status = await fetch(page, { headers: { accept: "text/html" } }).then(
      (answer) => answer.status,
      () => 202,
    );
    if (status === 404) {
      state.textContent = `${name} cannot be played: it is not a video or audio file, or it is damaged. Ask for a new link to send another one.`;
      watch.hidden = true;
    }
    if (status === 200) state.textContent = `${name} has been uploaded, and can be watched.`;
    if (status !== 202) return;
    await new Promise((done) => setTimeout(done, OUTCOME_PAUSE_MS));
  }
}

function showPaused(isPaused: boolean): void {
  pause.dataset["paused"] = String(isPaused);
  pause.textContent = isPaused ? "Continue" : "Pause";
  showUnmoving("");
  if (!isPaused) expectProgress();
}

let stall: ReturnType<typeof setTimeout> | undefined;

function expectProgress(): void {
  clearTimeout(stall);
  stall = setTimeout(() => showUnmoving(", waiting for the server"), STALL_MS);
}

function showUnmoving(why: string): void {
  clearTimeout(stall);
  speed.reset(); // a speed of before is none of now
  if (sent !== null) figures.textContent = figuresText(...sent, null) + why;
}

function showProgress(sentBytes: number, totalBytes: number): void {
  sent = [sentBytes, totalBytes];
  expectProgress();
  speed.add(sentBytes, performance.now());
  progress.value = sentBytes / totalBytes;
  figures.textContent = figuresText(...sent, speed.bytesPerSecond);
}
