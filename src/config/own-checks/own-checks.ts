import { readHeader } from './header.ts'
import type { OwnCheck, OwnChecksSettings } from './own-check.ts'
import type { OwnCheckFile, OwnCheckFolder } from './read-folder.ts'

const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

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

/** Strings and comments count, too: a false positive is harmless, a false negative would keep an outdated pass. */
function readsTheTime(query: string): boolean {
  return timeWords.test(query)
}

type Parsed = Pick<OwnChecksSettings, 'checks' | 'incomplete'>

const folderId = 'own-checks-folder'

/** An invalid file gets the id in its header if known, else one derived from the file name. */
export function parseChecks(folder: OwnCheckFolder, path: string, builtIn: readonly string[]): Parsed {
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

type ParsedFile = Exclude<OwnCheck, { readonly problem: string }> | Unusable

/** The id is null when unknown or already taken. */
interface Unusable {
  readonly id: string | null
  readonly file: string
  readonly problem: string
}

function parse(file: OwnCheckFile, builtIn: readonly string[]): ParsedFile {
  if ('problem' in file) return { id: null, file: file.name, problem: `the file cannot be read: ${file.problem}` }
  const { id, header, problems, query } = readHeader(file.text)
  if (id !== null && builtIn.includes(id))
    return { id: null, file: file.name, problem: `the id ${id} is that of a built-in check` }
  // If the header does not end, there is no query to check.
  const found = header === null && query.trim() === '' ? null : problemOfQuery(query)
  const all = [...problems, ...(found === null ? [] : [found])]
  if (header === null || all.length > 0) return { id, file: file.name, problem: all.join('; ') }
  return { ...header, file: file.name, query, timeBased: readsTheTime(query), problem: null }
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
