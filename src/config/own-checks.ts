import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { readRegularFileSync } from '../model/process/files.ts'
import { type ResourceName, resourceNames } from '../model/resource-names.ts'
import { severities } from '../model/severity.ts'
import { dayMs, parseDuration } from '../model/time.ts'
import { formatPath, validate, whyUnreadable } from './mistakes.ts'
import { text, textOf } from './values.ts'

export interface WellFormedCheck extends Readonly<z.output<typeof schema>> {
  readonly file: string
  readonly query: string
  /** True when the result of the same records can change with time. */
  readonly timeBased: boolean
  readonly problem: null
}

/** A file without a valid check; it becomes a check that cannot be evaluated. */
export interface BrokenCheck {
  readonly id: string
  readonly file: string
  readonly problem: string
}

export type OwnCheck = WellFormedCheck | BrokenCheck

export interface OwnChecksSettings {
  readonly folder: string | null
  readonly timeoutMs: number
  readonly maxRows: number
  readonly checks: readonly OwnCheck[]
  /** True if a file or the folder could not be read, so that unlisted checks may exist. */
  readonly incomplete: boolean
}

const mostFiles = 200
const mostBytes = 64 * 1024

export type OwnCheckFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly problem: string }

export type OwnCheckFolder = { readonly files: readonly OwnCheckFile[] } | { readonly problem: string }

/** Files by name, without hidden files and subfolders. Follows links, which mounted configurations contain. */
export function readFolder(folder: string): OwnCheckFolder {
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name.toLowerCase().endsWith('.sql'))
    if (names.length > mostFiles) return { problem: `it contains ${names.length} files; expected at most ${mostFiles}` }
    // An empty folder may be a volume that is not mounted: reading it as one without checks would close their findings.
    if (names.length === 0)
      return {
        problem: 'it has no *.sql file; is its volume mounted? Without own checks, set ownChecks.folder to null',
      }
    return { files: names.sort().map((name) => readFile(folder, name)) }
  } catch (error) {
    return { problem: whyUnreadable(error) }
  }
}

export function readFile(folder: string, name: string): OwnCheckFile {
  try {
    const bytes = readRegularFileSync(join(folder, name), mostBytes)
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    return { name, problem: error instanceof TypeError ? 'it is not UTF-8 text' : whyUnreadable(error) }
  }
}

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

const folderId = 'own-checks-folder'

/** An invalid file gets the id in its header if known, else one derived from the file name. */
export function parseChecks(
  folder: OwnCheckFolder,
  path: string,
  builtIn: readonly string[],
): Pick<OwnChecksSettings, 'checks' | 'incomplete'> {
  if ('problem' in folder) {
    const problem = `the folder of own checks cannot be read: ${folder.problem}`
    return { checks: [{ id: folderId, file: path, problem }], incomplete: true }
  }
  const read = folder.files.map((file) => ({ file: file.name, check: parse(file, builtIn) }))
  const files = Map.groupBy(read, ({ check }) => check.id)
  const taken = new Set([...builtIn, ...read.flatMap(({ check }) => check.id ?? [])])
  const checks: OwnCheck[] = []
  for (const [id, same] of files) {
    if (id === null)
      checks.push(...same.map(({ file, check }) => ({ id: nameFor(file, taken), file, problem: check.problem ?? '' })))
    else if (same.length > 1) {
      const names = same.map(({ file }) => file).join(', ')
      checks.push({ id, file: names, problem: `the id ${id} is in several files: ${names}` })
    } else checks.push(...same.map(({ check }) => ({ ...check, id }) as OwnCheck))
  }
  return { checks: checks.sort((a, b) => (a.file < b.file ? -1 : 1)), incomplete: files.has(null) }
}

/** A file without a valid check; the id is null when unknown or already taken. */
type Unusable = Omit<BrokenCheck, 'id'> & { readonly id: string | null }

function parse(file: OwnCheckFile, builtIn: readonly string[]): WellFormedCheck | Unusable {
  const { name } = file
  if ('problem' in file) return { id: null, file: name, problem: `the file cannot be read: ${file.problem}` }
  const { written, problems, query } = readPairs(file.text)
  const keys = [...written.keys()]
  const { value: header, mistakes } = validate(schema, Object.fromEntries(written), (path) => {
    const order = keys.indexOf(String(path[0]))
    return { prefix: 'header', line: null, order, name: formatPath(path), path }
  })
  problems.push(...mistakes.map((mistake) => mistake.text))
  const given = written.get('id') ?? ''
  const id = idPattern.test(given) ? given : null
  if (id !== null && builtIn.includes(id))
    return { id: null, file: name, problem: `the id ${id} is that of a built-in check` }
  // If the header does not end, there is no query to check.
  const found = problems.length > 0 && query.trim() === '' ? null : problemOfQuery(query)
  if (found !== null) problems.push(found)
  if (header === undefined || problems.length > 0) return { id, file: name, problem: problems.join('; ') }
  return { ...header, file: name, query, timeBased: timeWords.test(query), problem: null }
}

function nameFor(file: string, taken: Set<string>): string {
  const stem = file
    .slice(0, -'.sql'.length)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-|-$/g, '')
  const wanted = `own-file-${stem || 'unnamed'}`
  let name = wanted
  for (let next = 2; taken.has(name); next++) name = `${wanted}-${next}`
  taken.add(name)
  return name
}
