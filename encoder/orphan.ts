/** A child process whose parent is gone has nobody to work for. */
export function endWithParent(): void {
  // Killed, not left by an exit: that would wait for whatever libav is doing.
  const end = () => void process.kill(process.pid, "SIGKILL");
  process.on("disconnect", end);
  if (!process.connected) end(); // the parent was gone before this was asked for
}
