import { dayMs, parseDuration } from '../../model/durations.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { nearest } from '../yaml/nearest.ts'
import type { OwnCheckHeader } from './own-check.ts'

const keys = [
  'id',
  'title',
  'severity',
  'inputs',
  'maxAge',
  'entity',
  'frameworks',
  'description',
  'risk',
  'remediation',
] as const
type Key = (typeof keys)[number]

export const idPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const entityPattern = /^[a-z][a-z0-9-]{0,39}$/
const longestAgeMs = 400 * dayMs

export interface ReadHeader {
  /** Null when missing or invalid. */
  readonly id: string | null
  readonly header: OwnCheckHeader | null
  readonly problems: readonly string[]
  readonly query: string
}

/** Reads the header of a file, lines of the form `-- key: value`, and the query below it. */
export function readHeader(text: string): ReadHeader {
  const lines = text.split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const end = lines.findIndex((line, at) => at >= first && !line.trimStart().startsWith('--'))
  const head = lines.slice(Math.max(0, first), end < 0 ? lines.length : end)
  const problems: string[] = []
  const written = readLines(head, problems)
  const value = <T>(key: Key, read: (value: string) => T | undefined, wanted: string): T | undefined => {
    const text = written.get(key)
    if (text === undefined) return undefined
    const result = read(text)
    if (result === undefined) problems.push(`${key} is ${JSON.stringify(text.slice(0, 80))}; ${wanted}`)
    return result
  }
  const sentence = (key: Key, most: number) =>
    value(
      key,
      (text) => (text.length <= most && !/\p{Cc}/u.test(text) ? text : undefined),
      `expected at most ${most} characters`,
    )
  const id = value(
    'id',
    (text) => (idPattern.test(text) ? text : undefined),
    'expected lower-case letters, digits and dashes, at most 64',
  )
  const header = {
    id,
    title: sentence('title', 200),
    severity: value('severity', asSeverity, `expected one of ${severities.join(', ')}`),
    inputs: value('inputs', asInputs, `expected a list such as users, roles; there are ${resourceNames.join(', ')}`),
    maxAgeMs: value('maxAge', asAge, 'expected a duration such as 90s, 15m, 6h or 30d, at most 400d'),
    entity: value(
      'entity',
      (text) => (entityPattern.test(text) ? text : undefined),
      'expected lower-case letters, digits and dashes, at most 40',
    ),
    frameworks: sentence('frameworks', 1000)
      ?.split(',')
      .flatMap((part) => part.trim() || []),
    description: sentence('description', 1000),
    risk: sentence('risk', 1000),
    remediation: sentence('remediation', 1000),
  }
  const lacking = (['id', 'title', 'severity', 'inputs'] as const).filter((key) => !written.has(key))
  if (lacking.length > 0)
    problems.push(`the header lacks ${lacking.join(', ')}; the file begins with lines of the form "-- key: value"`)
  const query = end < 0 ? '' : lines.slice(end).join('\n')
  const { title, severity, inputs } = header
  const whole = problems.length === 0 && id !== undefined && title !== undefined && severity !== undefined
  if (!whole || inputs === undefined) return { id: id ?? null, header: null, problems, query }
  const { maxAgeMs = null, entity = 'entity', frameworks = [] } = header
  const { description = null, risk = null, remediation = null } = header
  const read = { id, title, severity, inputs, maxAgeMs, entity, frameworks, description, risk, remediation }
  return { id, header: read, problems, query }
}

function readLines(head: readonly string[], problems: string[]): ReadonlyMap<Key, string> {
  const written = new Map<Key, string>()
  for (const line of head) {
    const text = line.trimStart().slice(2).trim()
    if (text === '') continue
    const [, key = '', value = ''] = /^([A-Za-z]+)\s*:(.*)$/.exec(text) ?? []
    const known = keys.find((one) => one === key)
    if (key === '')
      problems.push(
        `the header has the line ${JSON.stringify(text.slice(0, 80))}; expected "-- key: value", and an empty line below the header`,
      )
    else if (known === undefined) problems.push(unknownKey(key))
    else if (written.has(known)) problems.push(`the header has ${known} twice`)
    else if (value.trim() === '') problems.push(`${known} is empty`)
    else written.set(known, value.trim())
  }
  return written
}

function unknownKey(key: string): string {
  const near = nearest(key, keys)
  const advice = near === undefined ? `there are ${keys.join(', ')}` : `did you mean ${near}?`
  return `the header has the unknown key ${key.slice(0, 40)}; ${advice}`
}

function asSeverity(text: string): Severity | undefined {
  return severities.find((one) => one === text)
}

function asInputs(text: string): readonly ResourceName[] | undefined {
  const names = text.split(',').map((part) => part.trim())
  const known = names.flatMap((name) => resourceNames.find((one) => one === name) ?? [])
  return known.length === names.length && new Set(known).size === names.length ? known : undefined
}

function asAge(text: string): number | undefined {
  const ms = parseDuration(text)
  return ms === undefined || ms < 1000 || ms > longestAgeMs ? undefined : ms
}
