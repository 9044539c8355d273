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
  stringify,
  visit,
} from 'yaml'
import { formatPath, type KeyPath, type Locate, type Mistake, type Place } from './mistakes.ts'

/** Enough for an anchor that a thousand tenants use, and too few for an alias bomb. */
const maxAliasCount = 5000

export interface YamlFile {
  /** Undefined after a mistake of the syntax. */
  readonly raw: unknown
  /** At most one: what follows a mistake of the syntax often follows from it. */
  readonly mistakes: readonly Mistake[]
  /** The place of the value or key at a path; of the closest parent when it is missing. */
  readonly locate: Locate
}

/** Parses YAML strictly: duplicate keys, unknown tags and a second document are mistakes. */
export function readYaml(name: string, source: string): YamlFile {
  const lines = new LineCounter()
  const placed = (offset: number, path: KeyPath): Place => {
    const { line, col } = lines.linePos(offset)
    const prefix = `${name}:${Math.max(1, line)}:${Math.max(1, col)}`
    return { prefix, line: Math.max(1, line), order: offset, name: formatPath(path), path }
  }
  const broken = (offset: number, text: string): YamlFile => {
    const { prefix, line } = placed(offset, [])
    const mistake = { code: 'syntax', key: '', line, text, sentence: `${prefix}: ${text}` } as const
    return { raw: undefined, mistakes: [mistake], locate: (path) => placed(0, path) }
  }
  if (source.includes('\0')) return broken(0, 'this is no YAML file; expected text in UTF-8')
  try {
    const options = { lineCounter: lines, prettyErrors: false, merge: true, keepSourceTokens: true } as const
    const document = parseDocument(source, options)
    const [first] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
    if (first !== undefined) {
      const opened = startOfUnclosed(document, first.pos[0])
      return opened === undefined
        ? broken(first.pos[0], sentences[first.code] ?? `this is not valid YAML (${first.code})`)
        : broken(opened, 'the bracket or quote that opens here is not closed; close it, and indent all its lines')
    }
    const lost = lostAlias(document)
    if (lost !== undefined) return broken(lost, `an alias has no anchor; ${quoteStar}`)
    const raw: unknown = document.toJS({ maxAliasCount })
    return { raw, mistakes: [], locate: (path, at) => placed(offsetOf(document, path, at), path) }
  } catch (error) {
    const isBomb = error instanceof ReferenceError
    return broken(
      0,
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
  DUPLICATE_KEY: 'this key was there already; a map has each key at most once',
  MISSING_CHAR: 'a quote, bracket, comma, colon or "-" is missing, or the indentation does not fit',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line, followed by a colon',
  MULTIPLE_DOCS: 'a second document begins here; expected one document a file',
  TAB_AS_INDENT: 'a tab indents this line; indent with spaces',
  TAG_RESOLVE_FAILED: 'a tag that begins with `!` is not known here; remove it, or quote the value',
  UNEXPECTED_TOKEN: `unexpected text; quote the whole value, or begin a new line for the next key; ${quoteStar}`,
}

/** Where the innermost bracket or quote opens whose end the parser missed at an offset. */
function startOfUnclosed(document: Document, missedAt: number): number | undefined {
  let start: number | undefined
  visit(document, {
    Scalar(_key, { type, range }) {
      if (type?.startsWith('QUOTE') === true && range?.[1] === missedAt) start = range[0]
    },
    Collection(_key, { srcToken, range }) {
      if (srcToken?.type !== 'flow-collection' || range?.[1] !== missedAt) return
      if (!srcToken.end.some(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end')) start = range[0]
    },
  })
  return start
}

function lostAlias(document: Document): number | undefined {
  let lost: number | undefined
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined) lost ??= alias.range?.[0] ?? 0
    },
  })
  return lost
}

function offsetOf(document: Document, path: readonly (string | number)[], at: 'key' | 'value'): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [index, part] of path.entries()) {
    const parent: Node | null | undefined = isAlias(node) ? node.resolve(document) : node
    const pair = isMap(parent) ? parent.items.find(({ key }) => String(isScalar(key) ? key.value : key) === part) : null
    const value = isSeq(parent) ? parent.items[Number(part)] : pair?.value
    if (pair === undefined || (pair === null && !isNode(value))) break
    node = isNode(value) ? value : null
    const wantsKey = at === 'key' && index === path.length - 1
    const keyAt = isNode(pair?.key) ? pair.key.range?.[0] : undefined
    offset = (wantsKey ? undefined : node?.range?.[0]) ?? keyAt ?? offset
  }
  return offset
}

/**
 * Adds items to the list at a top-level key and changes nothing else of the text. The caller must parse the result,
 * because not every notation can be extended.
 *
 * @returns null when the file or the list is written in flow style (`[ … ]`) with content.
 */
export function addToList(source: string, key: string, items: readonly object[]): string | null {
  const { contents } = parseDocument(source)
  const lineEnd = source.includes('\r\n') ? '\r\n' : '\n'
  const itemText = (indent: string) => indented(stringify(items, { lineWidth: 0 }), indent, lineEnd)
  if (contents !== null && (!isMap(contents) || contents.flow === true)) return null
  const pair = contents?.items.find((one) => isScalar(one.key) && one.key.value === key)
  if (pair === undefined) return `${ended(source, lineEnd)}${key}:${lineEnd}${itemText('  ')}`
  const { value } = pair
  if (isSeq(value) && value.items.length > 0) {
    if (value.flow === true || !value.range) return null
    const [first, , end] = value.range
    const column = first - (source.lastIndexOf('\n', first - 1) + 1)
    return `${ended(source.slice(0, end), lineEnd)}${itemText(' '.repeat(column))}${source.slice(end)}`
  }
  const isEmpty = isSeq(value) || value === null || (isScalar(value) && value.value === null)
  const range = isSeq(value) || isScalar(value) ? value.range : null
  if (!isEmpty || !range) return null
  const [first, valueEnd] = range
  const restAt = source.indexOf('\n', valueEnd) + 1 || source.length
  const comment = source.slice(valueEnd, restAt).trim()
  const head = `${source.slice(0, first).trimEnd()}${comment === '' ? '' : ` ${comment}`}${lineEnd}`
  return `${head}${itemText('  ')}${source.slice(restAt)}`
}

function ended(text: string, lineEnd: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}${lineEnd}`
}

function indented(text: string, indent: string, lineEnd: string): string {
  return text.replaceAll(/^(?=.)/gm, indent).replaceAll('\n', lineEnd)
}
