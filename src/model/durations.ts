export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const units: Readonly<Record<string, number>> = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs }

/** Reads a duration such as `90s`, `15m`, `1h30m` or `30d`; milliseconds, or undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g)) total += Number(amount) * (units[unit ?? ''] ?? 0)
  return Number.isSafeInteger(total) ? total : undefined
}

/** A duration in words for people: `3 days`, `5 h`, `12 min`, `40 s`. */
export function describeDuration(ms: number): string {
  const abs = Math.abs(ms)
  if (abs >= 2 * dayMs) return `${Math.floor(abs / dayMs)} days`
  if (abs >= hourMs) return `${Math.floor(abs / hourMs)} h`
  if (abs >= minuteMs) return `${Math.floor(abs / minuteMs)} min`
  return `${Math.floor(abs / secondMs)} s`
}
