import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import * as z from 'zod'
import { readTextFile } from '../model/process/files.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { severities } from '../model/severity.ts'
import { dayMs, parseDuration } from '../model/time.ts'
import { formatPath, validate, whyUnreadable } from './mistakes.ts'
import { text, textOf } from './values.ts'

export interface OwnCheck extends Readonly<z.output<typeof schema>> {
  readonly file: string
  readonly query: string
  /** True when the result of the same records can change with time. */
  readonly timeBased: boolean
}

export interface OwnChecksSettings {
  readonly folder: string | null
  readonly timeoutMs: number
  readonly maxRows: number
  readonly checks: readonly OwnCheck[]
}

const mostFiles = 200
const mostBytes = 64 * 1024

export const idPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/

const names = 'lower-case letters, digits and dashes, at most'
const sentence = (most: number) => text(`at most ${most} characters`, new RegExp(`^\\P{Cc}{1,${most}}$`, 'u'))
const optional = () => sentence(1000).nullable().default(null)

const schema = z
  .strictObject({
    id: text(`${names} 64`, idPattern),
    title: sentence(200),
    severity: z.enum(severities),
    inputs: textOf(
      `a list such as users, roles; there are ${resourceNames.join(', ')}`,
      (list) => inputsOf(list) !== null,
    ),
    maxAge: textOf('a duration such as 90s, 15m, 6h or 30d, at most 400d', (age) => {
      const ms = parseDuration(age) ?? 0
      return ms >= 1000 && ms <= 400 * dayMs
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

/** The header of a file, lines of the form `-- key: value`, and the query below it. */
function readPairs(source: string) {
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
  return { written, problems, query }
}

/** Null unless every part is the name of a resource, each once. */
function inputsOf(list: string): readonly ResourceName[] | null {
  const parts = list.split(',').map((part) => part.trim())
  const known = parts.flatMap((part) => resourceNames.find((name) => name === part) ?? [])
  return known.length === parts.length && new Set(known).size === parts.length ? known : null
}

const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** Also in strings and comments: a false positive is harmless, a false negative would keep an outdated pass. */
const timeWords =
  /\b(?:current_date|current_time|current_timestamp|date|datetime|julianday|now|strftime|time|timediff|unixepoch)\b/i

const known: ReadonlySet<string> = new Set([':now', ':tenant'])

function problemOfQuery(query: string): string | null {
  if (query.includes('\0')) return 'the query contains a NUL character'
  const bare = query.replace(quotedOrComment, (part) => (part.startsWith('--') || part.startsWith('/*') ? ' ' : "''"))
  if (bare.replaceAll(';', '').trim() === '') return 'there is no query below the header'
  if (/;\s*[^\s;]/.test(bare)) return 'there is more than one statement; expected one SELECT'
  const parameters = bare.match(/(?<![\w$])[:@$#]\w+|\?\d*/g) ?? []
  const unknown = parameters.find((parameter) => !known.has(parameter))
  return unknown === undefined ? null : `the query has the parameter ${unknown}; there are :now and :tenant`
}

export interface ReadOwnChecks {
  readonly checks: readonly OwnCheck[]
  /** `path: what is wrong`, one for each file without a valid check, or for the folder. */
  readonly problems: readonly string[]
}

/**
 * The checks of a folder by name of the file, without hidden files and subfolders. Follows links, which mounted
 * configurations contain.
 */
export function readOwnChecks(folder: string, cwd: string, builtIn: readonly string[]): ReadOwnChecks {
  const checks: OwnCheck[] = []
  const problems: string[] = []
  for (const name of namesIn(resolve(cwd, folder), (why) => problems.push(`${folder}: ${why}`))) {
    const path = join(folder, name)
    const read = readOwnCheck(resolve(cwd, path), builtIn)
    const twin = 'id' in read ? checks.find(({ id }) => id === read.id) : undefined
    if ('problem' in read) problems.push(`${path}: ${read.problem}`)
    else if (twin !== undefined) problems.push(`${path}: the id ${twin.id} is that of ${twin.file}, too`)
    else checks.push(read)
  }
  return { checks, problems }
}

function namesIn(folder: string, fail: (why: string) => void): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name.toLowerCase().endsWith('.sql'))
    // An empty folder may be a volume that is not mounted: reading it as one without checks would close their findings.
    if (names.length === 0)
      fail('it has no *.sql file; is its volume mounted? Without own checks, set ownChecks.folder to null')
    if (names.length <= mostFiles) return names.sort()
    fail(`it contains ${names.length} files; expected at most ${mostFiles}`)
  } catch (error) {
    fail(`ownChecks.folder cannot be read: ${whyUnreadable(error)}`)
  }
  return []
}

/** One file, which need not be in the folder of own checks. */
export function readOwnCheck(path: string, builtIn: readonly string[]): OwnCheck | { readonly problem: string } {
  let source: string
  try {
    source = readTextFile(path, mostBytes)
  } catch (error) {
    return { problem: whyUnreadable(error) }
  }
  return parse(basename(path), source, builtIn)
}

function parse(file: string, source: string, builtIn: readonly string[]): ReturnType<typeof readOwnCheck> {
  const { written, problems, query } = readPairs(source)
  const keys = [...written.keys()]
  const { value: header, mistakes } = validate(schema, Object.fromEntries(written), (path) => {
    const order = keys.indexOf(String(path[0]))
    return { prefix: 'header', line: null, order, name: formatPath(path), path }
  })
  problems.push(...mistakes.map((mistake) => mistake.text))
  const id = header?.id ?? ''
  if (builtIn.includes(id)) problems.push(`the id ${id} is that of a built-in check`)
  // If the header does not end, there is no query to check.
  const found = problems.length > 0 && query.trim() === '' ? null : problemOfQuery(query)
  if (found !== null) problems.push(found)
  if (header === undefined || problems.length > 0) return { problem: problems.join('; ') }
  return { ...header, file, query, timeBased: timeWords.test(query) }
}
