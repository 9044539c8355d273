import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Numbers that this process has to work on; null in the one that shares them out. */
export const share: readonly number[] | null =
  process.send === undefined ? null : JSON.parse(process.env['SHARE'] ?? '[]')

/** Runs a script in so many processes at once, each with its share of the numbers, and receives what they send. */
export async function inProcesses(
  script: string,
  numbers: readonly number[],
  jobs: number,
  onMessage: (message: unknown) => void,
): Promise<void> {
  const parts = Math.min(jobs, numbers.length)
  const processes = Array.from({ length: parts }, async (_, part) => {
    const own = numbers.filter((_, i) => i % parts === part)
    const env = { ...process.env, SHARE: JSON.stringify(own) }
    const child = fork(script, process.argv.slice(2), { env, serialization: 'advanced' })
    child.on('message', onMessage)
    // The messages that the process sent arrive before its end is known.
    const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
    if (code !== 0) throw new Error(`A process of ${script} ended with ${signal ?? code}`)
  })
  await Promise.all(processes)
}
