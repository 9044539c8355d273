import { text } from '../yaml/leaves.ts'
import type { Report } from '../yaml/report.ts'
import { readSection } from '../yaml/section.ts'

/** An empty value keeps the default header. */
const free = () => text('want one line of printable ASCII', /^[\x20-\x7e]*$/).nullish()

const fields = {
  'Content-Security-Policy': free(),
  'Strict-Transport-Security': free(),
  'X-Content-Type-Options': text('want nosniff', /^(nosniff)?$/).nullish(),
  'X-Frame-Options': text('want deny or sameorigin', /^(deny|sameorigin)?$/i).nullish(),
  'X-XSS-Protection': free(),
}

/** Reads `http_server_config.headers`: security headers only. */
export function readHeaders(raw: unknown, report: Report): Readonly<Record<string, string>> {
  const section = readSection(fields, raw, ['http_server_config', 'headers'], report)
  return Object.fromEntries(Object.entries(section).filter((entry): entry is [string, string] => Boolean(entry[1])))
}
