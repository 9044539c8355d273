import * as z from 'zod'
import { dayMs, hourMs, minuteMs, parseDuration, secondMs } from '../model/durations.ts'

/** A map of keys; one without content counts as `{}`, an unknown key is a mistake. */
export function section<S extends z.ZodRawShape>(shape: S) {
  return emptyAsMap(z.strictObject(shape))
}

export function emptyAsMap<T extends z.ZodType>(schema: T) {
  return z.preprocess((raw) => raw ?? {}, schema)
}

/** YAML reads an unquoted `42` or `true` as number or boolean. */
const orQuoted =
  (wanted: string) =>
  ({ input }: { readonly input?: unknown }) =>
    typeof input === 'number' || typeof input === 'boolean' ? `expected ${wanted}, in quotes` : `expected ${wanted}`

export function text(wanted: string, pattern = /\S/) {
  return z.string({ error: orQuoted(wanted) }).regex(pattern, { error: `expected ${wanted}` })
}

/** A text in which `problemOf` finds no problem; the problem completes the sentence "`key` is value; …". */
export function textThat(wanted: string, problemOf: (text: string) => string | null) {
  return z.string({ error: orQuoted(wanted) }).superRefine((value, context) => {
    const problem = problemOf(value)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })
}

export function flag() {
  return z.boolean({ error: 'expected true or false' })
}

export function wholeNumber(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export function numberBetween(min: number, max: number) {
  const error = `expected a number from ${min} to ${max}`
  return z.number({ error }).min(min, { error }).max(max, { error })
}

export function positiveNumber(max: number) {
  const error = `expected a number above 0, at most ${max}`
  return z.number({ error }).positive({ error }).max(max, { error })
}

export function choice<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: `expected one of ${words.join(', ')}` })
}

/** A duration such as `90s` or `1h30m`. */
export function duration(mostDays: number) {
  const wanted = `a duration such as 90s, 15m, 1h30m or 30d, at most ${mostDays}d`
  return textThat(wanted, (value) => {
    const ms = parseDuration(value)
    return ms === undefined || ms > mostDays * dayMs ? `expected ${wanted}` : null
  })
}

/** The milliseconds of a duration that was validated. */
export function durationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new Error(`Duration ${text} is not usable`)
  return ms
}

const units = [
  ['h', hourMs],
  ['m', minuteMs],
  ['s', secondMs],
  ['ms', 1],
] as const

/** Formats a duration without loss: `1h30m`. Uses days only for whole days. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  if (ms % dayMs === 0) return `${ms / dayMs}d`
  let rest = ms
  let text = ''
  for (const [unit, size] of units) {
    const amount = Math.floor(rest / size)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * size
  }
  return text
}
