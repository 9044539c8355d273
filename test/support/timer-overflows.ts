import { onTestFinished } from 'vitest'

/**
 * Warnings of Node, a turn later, about timers beyond 2^31-1 ms, which it fires at once: a list that grows until the test
 * ends.
 */
export function timerOverflows(): readonly string[] {
  const seen: string[] = []
  const note = ({ name, message }: Error) => void (name === 'TimeoutOverflowWarning' && seen.push(message))
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  return seen
}
