import { dayMs, hourMs, minuteMs, secondMs } from '../../model/durations.ts'

const units = [
  ['d', dayMs],
  ['h', hourMs],
  ['m', minuteMs],
  ['s', secondMs],
  ['ms', 1],
] as const

/** Formats a duration without loss: `1h30m`. Uses days only for whole days. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  let rest = ms
  let text = ''
  for (const [unit, size] of units) {
    if (unit === 'd' && ms % dayMs !== 0) continue
    const amount = Math.floor(rest / size)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * size
  }
  return text
}
