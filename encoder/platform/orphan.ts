/** Ends a child process when its parent has exited. */
export function endWithParent(): void {
  // SIGKILL, because a regular exit would wait for pending libav calls.
  const end = () => void process.kill(process.pid, "SIGKILL");
  process.on("disconnect", end);
  if (!process.connected) end(); // the parent exited before this call
}
