import type { ChildProcess } from 'node:child_process'

/** Makes sure that a child does not outlive this process, however it ends: nobody would end one that hangs. */
export function endWithProcess(child: ChildProcess, end: () => void = () => child.kill('SIGKILL')): void {
  // Each child is one listener more, and meant.
  process.setMaxListeners(process.getMaxListeners() + 1)
  process.once('exit', end)
  child.once('close', () => {
    process.off('exit', end)
    process.setMaxListeners(process.getMaxListeners() - 1)
  })
}
