import { version } from '../../src/model/process/version.ts'
import { minuteMs } from '../../src/model/time.ts'

const toMinute = (ms: number) => Math.round(ms / minuteMs) * minuteMs

/** The nearest minute: one request more or fewer moves what is read within a run, but not the minute of the run. */
export function minuteOf(ms: number | null): string | null {
  return ms === null ? null : `${new Date(toMinute(ms)).toISOString().slice(0, -8)}Z`
}

/** What the server numbers by request, and when a record was read: both differ where a request more or fewer is sent. */
const ofRequests: ReadonlySet<string> = new Set(['requestId', 'readAt', 'rule'])

/** Evidence without what belongs to requests, and without the digest of the rule, which is not about the tenant. */
export function withoutRequests(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRequests)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !ofRequests.has(key))
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutRequests(one)]))
}

const instant = /[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g

/** Instants to the minute; those of the recovery, which lasts as long as its requests, have no time at all. */
export function normalizeText(text: string, recoversSince: number | null, now: number): string {
  return text.replace(instant, (found) => {
    const at = Date.parse(found)
    return isOfRecovery(at, recoversSince, now) ? '<recovery>' : (minuteOf(at) ?? '')
  })
}

const time = /_timestamp_seconds\S* |_skew_seconds\S* /

/** One line of the exposition, with its time to the minute. */
export function normalizeSeries(line: string, recoversSince: number | null, now: number): string {
  if (!time.test(line)) return line
  const at = line.lastIndexOf(' ') + 1
  const ms = Number(line.slice(at)) * 1000
  if (isOfRecovery(ms, recoversSince, now)) return `${line.slice(0, at)}<recovery>`
  return line.slice(0, at) + toMinute(ms) / 1000
}

function isOfRecovery(ms: number, since: number | null, now: number): boolean {
  return since !== null && toMinute(ms) >= toMinute(since) && ms <= now + minuteMs
}

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** Also in a row of the history. Requests run side by side: which has which id differs from run to run. */
const idOfRequest = new RegExp(`(?:(?:request ?id|\\(request).{1,40}?|^\\S+Z .* {2})(${guid})\\b`, 'gim')
const idOfHold = /on hold ([0-9a-f]{12})/g

/**
 * Outputs of commands without the version, ports, ids of requests and of holds, and without what the audit chain hashes and counts:
 * another store has other rows. Lines of the log are left out, for they have the time of the machine, and the style sheet for its length.
 */
export function normalizeOutputs(outputs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = [...outputs.values()].join('\n')
  const found = (pattern: RegExp) => new Set([...all.matchAll(pattern)].map(([, id = '']) => id))
  const [requests, holds] = [found(idOfRequest), found(idOfHold)]
  const replaced = (text: string) =>
    text
      .replace(new RegExp(guid, 'g'), (id) => (requests.has(id) ? '<request>' : id))
      .replace(/\b[0-9a-f]{12}\b/g, (id) => (holds.has(id) ? '<hold>' : id))
      .replaceAll(version, '<version>')
      .replace(/127\.0\.0\.1:\d+/g, '<host>')
      .replace(/\b[0-9a-f]{64}\b/g, '<hash>')
      .replace(/\b(?:event \d+|\d+ events?\b)|"id": \d+(?=,\n\s+"at")/g, (count) => count.replace(/\d+/, '<n>'))
      .replace(/^\{"level":.*\n/gm, '')
      .replace(/<style>.*?<\/style>/s, '<style></style>')
  return new Map([...outputs].map(([file, text]) => [file, inOrder(file, replaced(text))]))
}

/** Of changes of one instant, each store may write another one first: they are put into the order of their text. */
function inOrder(file: string, text: string): string {
  if (!file.startsWith('history')) return text
  const isChange = (line: string) => /^"?\d{4}-/.test(line)
  const lines = text.split('\n')
  const changes = lines.filter(isChange).toSorted()
  return lines.map((line) => (isChange(line) ? (changes.shift() ?? '') : line)).join('\n')
}
