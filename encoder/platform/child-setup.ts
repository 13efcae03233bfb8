/** Runs in every media process before its script (media-process.ts). */
import { Console } from "node:console";
import { flushCompileCache } from "node:module";

// Stdout carries media and messages. The parent logs what it reads from stderr.
globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });

/** The script's modules are loaded by then, except on a very busy machine: the rest is written by a later process. */
const LOADED_AFTER_MS = 2000;
// Node writes its compile cache at a regular exit, and most media processes are killed. In the image the cache is complete, and nothing is written.
setTimeout(flushCompileCache, LOADED_AFTER_MS).unref();

/** SIGKILL, because a regular exit waits for pending libav calls, which may never return. */
const end = () => void process.kill(process.pid, "SIGKILL");
const parentPid = process.ppid;
process.on("disconnect", end);
// A message to a parent that has just exited fails before `disconnect`, and ends the script.
process.on("exit", () => process.ppid !== parentPid && end());
if (!process.connected) end(); // the parent has exited already
