import { setTimeout as pause } from 'node:timers/promises'

const limitMs = 20 * 60_000

/**
 * Looks again and again until it sees something.
 *
 * @throws Error when it saw nothing for twenty minutes.
 */
export async function until(what: string, everyMs: number, look: () => Promise<boolean>): Promise<void> {
  const began = performance.now()
  for (;;) {
    const lookedAt = performance.now()
    if (await look()) return
    if (performance.now() - began > limitMs) throw new Error(`Waited ${limitMs / 60_000} minutes in vain until ${what}`)
    await pause(Math.max(0, lookedAt + everyMs - performance.now()))
  }
}
