import { text } from '../yaml/leaves.ts'
import type { Report } from '../yaml/report.ts'
import { readSection } from '../yaml/section.ts'

/** Nothing at all leaves the header as it is. */
const free = () => text('want one line of printable ASCII', /^[\x20-\x7e]*$/).nullish()

const fields = {
  'Content-Security-Policy': free(),
  'Strict-Transport-Security': free(),
  'X-Content-Type-Options': text('want nosniff', /^(nosniff)?$/).nullish(),
  'X-Frame-Options': text('want deny or sameorigin', /^(deny|sameorigin)?$/i).nullish(),
  'X-XSS-Protection': free(),
}

/** Reads `http_server_config.headers`: only headers that tell browsers to be strict. */
export function readHeaders(raw: unknown, report: Report): Readonly<Record<string, string>> {
  const section = readSection(fields, raw, ['http_server_config', 'headers'], report)
  return Object.fromEntries(Object.entries(section).filter((entry): entry is [string, string] => Boolean(entry[1])))
}
