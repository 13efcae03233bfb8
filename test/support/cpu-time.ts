/** CPU time of this thread, in ms, for bounds on work: on a busy machine the time of the wall says nothing. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
