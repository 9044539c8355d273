/**
 * Ends the process for certain. `process.exit` joins the threads that read files and ask for names, and so never ends while
 * one of them hangs, as on a share that is gone; another program in the place of this one takes their threads away.
 */
export function endNow(code: number): void {
  // The last of the listeners: others end children.
  process.once('exit', () => process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {}))
  process.exit(code)
}
