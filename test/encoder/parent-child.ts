/** Starts a media process, as the encoder does, and reports its process id. */
import { startMediaProcess } from "../../encoder/platform/media-process.ts";

const child = startMediaProcess(process.argv[2]!, { stdio: ["pipe", "pipe", "pipe", "ipc"], heapMiB: 256 });
process.send!(child.pid);
process.on("message", (message) => void child.send(message as string));
setInterval(() => {}, 1000);
