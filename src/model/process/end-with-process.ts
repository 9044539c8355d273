import type { ChildProcess } from 'node:child_process'

export function endWithProcess(child: ChildProcess, end: () => void = () => child.kill('SIGKILL')): void {
  // Each child adds a listener; raise the limit to avoid a warning.
  process.setMaxListeners(process.getMaxListeners() + 1)
  process.once('exit', end)
  child.once('close', () => {
    process.off('exit', end)
    process.setMaxListeners(process.getMaxListeners() - 1)
  })
}
