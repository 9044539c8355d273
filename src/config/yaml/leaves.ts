import * as z from 'zod'
import { dayMs, hourMs, minuteMs, parseDuration, secondMs } from '../../model/durations.ts'

/** A parsed value, or a problem that completes the sentence "`key` is value; …". */
export type Read<T> = { readonly value: T } | { readonly problem: string }

export function textAs<T>(wanted: string, read: (text: string) => Read<T>): z.ZodType<T> {
  return z.string({ error: wanted }).transform((text, context) => {
    const result = read(text)
    if ('value' in result) return result.value
    context.addIssue({ code: 'custom', message: result.problem })
    return z.NEVER
  })
}

export function text(wanted: string, pattern = /\S/): z.ZodType<string> {
  const error = (issue: { readonly input?: unknown }) => wantedText(issue.input, wanted)
  return z.string({ error }).regex(pattern, { error: wanted })
}

export function flag(): z.ZodType<boolean> {
  return z.boolean({ error: 'expected true or false' })
}

export function wholeNumber(min: number, max: number): z.ZodType<number> {
  const error = `expected a whole number from ${min} to ${max}`
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

export function numberBetween(min: number, max: number): z.ZodType<number> {
  const error = `expected a number from ${min} to ${max}`
  return z.number({ error }).min(min, { error }).max(max, { error })
}

export function positiveNumber(max: number): z.ZodType<number> {
  const error = `expected a number above 0, at most ${max}`
  return z.number({ error }).positive({ error }).max(max, { error })
}

export function choice<const T extends readonly [string, ...string[]]>(words: T): z.ZodType<T[number]> {
  return z.enum(words, { error: `expected one of ${words.join(', ')}` })
}

/** A duration such as `90s` or `1h30m`, in milliseconds. */
export function duration(maxMs: number, maxText: string): z.ZodType<number> {
  const wanted = `expected a duration such as 90s, 15m, 1h30m or 30d, at most ${maxText}`
  return textAs(wanted, (value) => {
    const ms = parseDuration(value)
    return ms === undefined || ms > maxMs ? { problem: wanted } : { value: ms }
  })
}

/** YAML reads unquoted `42` and `true` as number and boolean. */
function wantedText(input: unknown, wanted: string): string {
  return typeof input === 'number' || typeof input === 'boolean' ? `${wanted}, in quotes` : wanted
}

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
