import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import type { Mistake } from './errors.ts'
import type { KeyPath } from './key-path.ts'

/** Enough for an anchor that a thousand tenants use, and too few for an alias bomb. */
const maxAliasCount = 5000

export interface Position {
  readonly offset: number
  readonly line: number
  readonly column: number
}

export interface YamlFile {
  readonly name: string
  /** False where the syntax is so broken that the values are not known. */
  readonly readable: boolean
  readonly raw: unknown
  readonly mistakes: readonly Mistake[]
  /** The position of the value or key at a path; of the closest parent when it is missing. */
  position(path: KeyPath, at: 'key' | 'value'): Position
}

/** Parses YAML strictly: duplicate keys, unknown tags and a second document are mistakes. */
export function readYaml(name: string, source: string): YamlFile {
  const lines = new LineCounter()
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { offset, line, column: col }
  }
  const mistakeAt = (offset: number, text: string): Mistake => {
    const { line, column } = positionAt(offset)
    return { code: 'syntax', key: '', line, text, sentence: `${name}:${line}:${column}: ${text}` }
  }
  const unreadable = (text: string): YamlFile => {
    const mistakes = [{ code: 'syntax', key: '', line: 1, text, sentence: `${name}:1:1: ${text}` }] as const
    return { name, readable: false, raw: undefined, mistakes, position: () => ({ offset: 0, line: 1, column: 1 }) }
  }
  if (source.includes('\0')) return unreadable('this is no YAML file; expected text in UTF-8')
  try {
    const options = { lineCounter: lines, prettyErrors: false, merge: true, keepSourceTokens: true } as const
    const document = parseDocument(source, options)
    const errors = [...document.errors, ...document.warnings]
    const duplicates = errors.filter(({ code }) => code === 'DUPLICATE_KEY').map(({ pos }) => pos[0])
    const broken = syntaxErrors(document, errors, source)
    const mistakes = [
      ...duplicates.map((at) =>
        mistakeAt(at, `duplicate key \`${keyAt(source, at)}\`; a map has each key at most once`),
      ),
      ...broken.map(({ at, text }) => mistakeAt(at, text)),
    ].sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    withoutDuplicates(document, duplicates)
    const readable = broken.length === 0
    const raw: unknown = readable ? document.toJS({ maxAliasCount }) : undefined
    return { name, readable, raw, mistakes, position: (path, at) => positionAt(offsetOf(document, path, at)) }
  } catch (error) {
    const isBomb = error instanceof ReferenceError
    return unreadable(
      isBomb ? `aliases expand to more than ${maxAliasCount} values` : 'this is nested too deeply to be read',
    )
  }
}

const quoteStar = 'a value that begins with `*`, such as a cron expression, needs quotes'

/** Without a quote of the source, which may contain secrets, unlike the messages of the library. */
const sentences: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: `an alias has no anchor; ${quoteStar}`,
  BAD_DQ_ESCAPE: 'a text in double quotes contains an unknown escape; double its back-slashes or use single quotes',
  BAD_INDENT: 'the indentation does not fit; every key of a map must begin in the same column',
  BAD_SCALAR_START: 'a value that begins with `@`, `%` or a back-quote needs quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a map cannot begin here: the next line is indented too deep, or a value with `: ` needs quotes',
  MISSING_CHAR: 'a quote, bracket, comma, colon or "-" is missing, or the indentation does not fit',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line, followed by a colon',
  MULTIPLE_DOCS: 'a second document begins here; expected one document a file',
  TAB_AS_INDENT: 'a tab indents this line; indent with spaces',
  TAG_RESOLVE_FAILED: 'a tag that begins with `!` is not known here; remove it, or quote the value',
  UNEXPECTED_TOKEN: `unexpected text; quote the whole value, or begin a new line for the next key; ${quoteStar}`,
}

interface SyntaxError {
  readonly at: number
  readonly text: string
}

/** The first error of each line: an unclosed bracket or quote where it opens, an alias without anchor where it stands. */
function syntaxErrors(document: Document, errors: readonly YAMLError[], source: string): readonly SyntaxError[] {
  const found: SyntaxError[] = []
  const opens = startOfUnclosed(document)
  for (const { code, pos } of withoutFollowing(errors, source)) {
    const start = code === 'BAD_INDENT' || code === 'MISSING_CHAR' ? opens.get(pos[0]) : undefined
    if (code === 'DUPLICATE_KEY') continue
    if (start === undefined) found.push({ at: pos[0], text: sentences[code] ?? `this is not valid YAML (${code})` })
    else
      found.push({
        at: start,
        text: 'the bracket or quote that opens here is not closed; close it, and indent all its lines',
      })
  }
  if (found.length === 0)
    visit(document, {
      Alias(_key, alias) {
        if (alias.resolve(document) === undefined)
          found.push({ at: alias.range?.[0] ?? 0, text: sentences.BAD_ALIAS ?? '' })
      },
    })
  const lineOf = (at: number) => source.lastIndexOf('\n', at - 1)
  return found.filter(({ at }, index) => !found.slice(0, index).some((one) => lineOf(one.at) === lineOf(at)))
}

/** Where brackets and quotes open, by the offset where the parser missed their end; of several the innermost. */
function startOfUnclosed(document: Document): ReadonlyMap<number, number> {
  const starts = new Map<number, number>()
  visit(document, {
    Scalar(_key, { type, range }) {
      if (range && (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE')) starts.set(range[1], range[0])
    },
    Collection(_key, { srcToken, range }) {
      if (srcToken?.type !== 'flow-collection' || !range) return
      const isClosed = srcToken.end.some(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end')
      if (!isClosed) starts.set(range[1], range[0])
    },
  })
  return starts
}

/** Drops errors below a key whose colon is missing, because the parser reads the indented lines after it as the key. */
function withoutFollowing(errors: readonly YAMLError[], source: string): readonly YAMLError[] {
  let end = 0
  return errors.filter(({ code, pos: [at] }) => {
    if (code !== 'MULTILINE_IMPLICIT_KEY' && code !== 'BLOCK_AS_IMPLICIT_KEY') return true
    if (at < end) return false
    const column = at - (source.lastIndexOf('\n', at - 1) + 1)
    const length = source.slice(at).search(new RegExp(`\\n {0,${column}}[^\\s#-]`))
    if (code === 'MULTILINE_IMPLICIT_KEY') end = length < 0 ? source.length : at + length
    return true
  })
}

/** Of equal keys the first one counts, so that the later ones cause no second mistake. */
function withoutDuplicates(document: Document, offsets: readonly number[]): void {
  if (offsets.length === 0) return
  visit(document, {
    Map(_key, map) {
      map.items = map.items.filter(({ key }) => !(isNode(key) && offsets.includes(key.range?.[0] ?? -1)))
    },
  })
}

function keyAt(source: string, offset: number): string {
  return /^["']?([\w.-]{1,64})/.exec(source.slice(offset, offset + 80))?.[1] ?? '…'
}

function offsetOf(document: Document, path: KeyPath, at: 'key' | 'value'): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [index, part] of path.entries()) {
    const step = stepInto(isAlias(node) ? (node.resolve(document) ?? null) : node, part)
    if (step === undefined) break
    node = step.value
    const wantsKey = at === 'key' && index === path.length - 1
    offset = (wantsKey ? undefined : node?.range?.[0]) ?? step.key?.range?.[0] ?? offset
  }
  return offset
}

interface Step {
  readonly key: Node | undefined
  readonly value: Node | null
}

function stepInto(node: Node | null, part: string | number): Step | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)]
    return isNode(item) ? { key: undefined, value: item } : undefined
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === part)
  if (pair === undefined) return undefined
  return { key: isNode(pair.key) ? pair.key : undefined, value: isNode(pair.value) ? pair.value : null }
}
