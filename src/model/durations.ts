export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const units: Readonly<Record<string, number>> = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs }

export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g)) total += Number(amount) * (units[unit ?? ''] ?? 0)
  return Number.isSafeInteger(total) ? total : undefined
}

/** In the largest unit that leaves no rest, such as `90m`; `parseDuration` reads it. */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = Object.entries(units).findLast(([, size]) => ms % size === 0) ?? ['ms', 1]
  return `${ms / unitMs}${unit}`
}

const few = 10

export function describeDuration(ms: number): string {
  const abs = Math.abs(ms)
  const [days, hours] = [Math.floor(abs / dayMs), Math.floor(abs / hourMs)]
  if (days >= 2) return `${days} days${rest(days, hours % 24, 'h')}`
  if (hours >= 1) return `${hours} h${rest(hours, Math.floor(abs / minuteMs) % 60, 'min')}`
  if (abs >= minuteMs) return `${Math.floor(abs / minuteMs)} min`
  return `${Math.floor(abs / secondMs)} s`
}

function rest(whole: number, part: number, unit: string): string {
  return whole < few && part > 0 ? ` ${part} ${unit}` : ''
}

/** `5 min ago`, `in 3 days`, `now`. */
export function distance(ms: number, now: number): string {
  if (Math.abs(ms - now) < 1000) return 'now'
  return ms < now ? `${describeDuration(now - ms)} ago` : `in ${describeDuration(ms - now)}`
}
