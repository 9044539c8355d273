import * as z from 'zod'
import { dayMs, parseDuration } from '../../model/durations.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import { severities } from '../../model/severity.ts'
import { choice, text, textThat } from '../leaves.ts'
import { validate } from '../validate.ts'
import { formatPath } from '../yaml/key-path.ts'

export const idPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/

const names = 'lower-case letters, digits and dashes, at most'
const sentence = (most: number) => text(`at most ${most} characters`, new RegExp(`^\\P{Cc}{1,${most}}$`, 'u'))
const optional = () => sentence(1000).nullable().default(null)
const wantedAge = 'a duration such as 90s, 15m, 6h or 30d, at most 400d'
const wantedInputs = `a list such as users, roles; there are ${resourceNames.join(', ')}`

const schema = z
  .strictObject({
    id: text(`${names} 64`, idPattern),
    title: sentence(200),
    severity: choice(severities),
    inputs: textThat(wantedInputs, (list) => (inputsOf(list) === null ? `expected ${wantedInputs}` : null)),
    maxAge: textThat(wantedAge, (age) => {
      const ms = parseDuration(age)
      return ms === undefined || ms < 1000 || ms > 400 * dayMs ? `expected ${wantedAge}` : null
    }).optional(),
    entity: text(`${names} 40`, /^[a-z][a-z0-9-]{0,39}$/).default('entity'),
    frameworks: sentence(1000).optional(),
    description: optional(),
    risk: optional(),
    remediation: optional(),
  })
  .transform(({ inputs, maxAge, frameworks = '', ...header }) => ({
    ...header,
    inputs: inputsOf(inputs) ?? [],
    /** Greatest age of its inputs in milliseconds, in addition to their freshness limits; null = none. */
    maxAgeMs: parseDuration(maxAge ?? '') ?? null,
    frameworks: frameworks.split(',').flatMap((part) => part.trim() || []),
  }))

type Header = z.output<typeof schema>
export type OwnCheckHeader = { readonly [Key in keyof Header]: Header[Key] }

export interface ReadHeader {
  /** Null when missing or invalid. */
  readonly id: string | null
  readonly header: OwnCheckHeader | null
  readonly problems: readonly string[]
  readonly query: string
}

/** Reads the header of a file, lines of the form `-- key: value`, and the query below it. */
export function readHeader(source: string): ReadHeader {
  const lines = source.split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const end = lines.findIndex((line, at) => at >= first && !line.trimStart().startsWith('--'))
  const head = lines.slice(Math.max(0, first), end < 0 ? lines.length : end)
  const query = end < 0 ? '' : lines.slice(end).join('\n')
  const problems: string[] = []
  const written = new Map<string, string>()
  for (const line of head.map((one) => one.trimStart().slice(2).trim()).filter((one) => one !== '')) {
    const [, key = '', value = ''] = /^([A-Za-z]+)\s*:(.*)$/.exec(line) ?? []
    if (key === '')
      problems.push(
        `the header has the line ${JSON.stringify(line.slice(0, 80))}; expected "-- key: value", and an empty line below the header`,
      )
    else if (written.has(key)) problems.push(`the header has ${key} twice`)
    else written.set(key, value.trim())
  }
  const raw = Object.fromEntries(written)
  const keys = [...written.keys()]
  const { value: header = null, mistakes } = validate(schema, raw, (path) => {
    const order = keys.indexOf(String(path[0]))
    return { prefix: 'header', line: null, order, name: formatPath(path), path }
  })
  problems.push(...mistakes.map((mistake) => mistake.text))
  const id = idPattern.test(raw['id'] ?? '') ? (raw['id'] ?? null) : null
  return { id, header: problems.length === 0 ? header : null, problems, query }
}

/** Null unless every part is the name of a resource, each once. */
function inputsOf(list: string): readonly ResourceName[] | null {
  const parts = list.split(',').map((part) => part.trim())
  const known = parts.flatMap((part) => resourceNames.find((name) => name === part) ?? [])
  return known.length === parts.length && new Set(known).size === parts.length ? known : null
}
