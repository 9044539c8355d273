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
import { formatPath, type KeyPath, type Locate } from './report.ts'

const quoteStar = 'a value that begins with `*`, such as a cron expression, needs quotes'

/** An alias without an anchor is almost always an unquoted cron expression. */
const badAlias = `an alias has no anchor; ${quoteStar}`

const notClosed = (what: 'bracket' | 'quote') =>
  `the ${what} that opens here is not closed; close it${what === 'bracket' ? ', and indent all its lines' : ''}`

const badIndent = 'the indentation does not fit; every key of a map must begin in the same column'

/** A key on two lines is almost always a value whose next line is indented too deep. */
const deeperLine =
  'the line after this one is indented deeper although this one has a value; every key of a map must begin in the same column'

const sentences: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: badAlias,
  BAD_INDENT: badIndent,
  BAD_SCALAR_START: 'a value that begins with `@`, `%` or a back-quote needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a nested map cannot begin on this line; a value that contains `: ` needs quotes',
  BAD_DQ_ESCAPE: 'a text in double quotes contains an unknown escape; double its back-slashes or use single quotes',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing, or a space after one',
  MULTIPLE_DOCS: 'a second document begins here; expected one document a file',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line, followed by a colon',
  TAB_AS_INDENT: 'a tab indents this line; indent with spaces',
  TAG_RESOLVE_FAILED: 'a tag that begins with `!` is not known here; remove it, or quote the value',
}

/** A message without a quote of the source, which may contain secrets, unlike the messages of the library. */
function yamlProblem({ code, message, pos: [at] }: YAMLError, all: readonly YAMLError[], source: string): string {
  if (code === 'UNEXPECTED_TOKEN') {
    const [line = ''] = source.slice(source.lastIndexOf('\n', at - 1) + 1).split('\n', 1)
    return `unexpected text; ${line.includes('*') ? quoteStar : 'quote the whole value, or begin a new line for the next key'}`
  }
  if (code === 'MISSING_CHAR' && message.startsWith('Sequence item without')) return badIndent
  const isOnTwoLines = all.some((one) => one.code === 'MULTILINE_IMPLICIT_KEY' && one.pos[0] === at)
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && isOnTwoLines) return deeperLine
  return sentences[code] ?? `this is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`
}

/** Enough for an anchor that a thousand tenants use, and too few for an alias bomb. */
const maxAliasCount = 5000

export interface YamlProblem {
  readonly position: Position
  readonly sentence: string
}

export interface YamlFile {
  readonly readable: boolean
  readonly raw: unknown
  readonly problems: readonly YamlProblem[]
  position(path: KeyPath, at: 'key' | 'value'): Position
}

/** Parses YAML strictly: duplicate keys, unknown tags and a second document are problems. */
export function readYaml(source: string): YamlFile {
  const lines = new LineCounter()
  const start = { offset: 0, text: '1:1' }
  const nothing = { readable: false, raw: undefined, position: () => start }
  if (source.includes('\0'))
    return { ...nothing, problems: [{ position: start, sentence: 'this is no YAML file; expected text in UTF-8' }] }
  try {
    const document = parseDocument(source, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      keepSourceTokens: true,
    })
    const [brackets, quotes] = [openBrackets(document), quotedTexts(document)]
    const errors = withoutFollowing([...document.errors, ...document.warnings], source)
    const readable = errors.every(({ code }) => code === 'DUPLICATE_KEY')
    const problems = errors.map((error) => {
      const {
        code,
        pos: [at],
      } = error
      const bracket = code === 'BAD_INDENT' ? brackets.get(at) : undefined
      if (bracket !== undefined) return { position: positionAt(lines, bracket), sentence: notClosed('bracket') }
      const quote = code === 'MISSING_CHAR' && isOpenQuote(error) ? quotes.get(at) : undefined
      if (quote !== undefined) return { position: positionAt(lines, quote), sentence: notClosed('quote') }
      return {
        position: positionAt(lines, at),
        sentence: code === 'DUPLICATE_KEY' ? duplicateKey(source, at) : yamlProblem(error, errors, source),
      }
    })
    const lost = readable ? lostAliases(document).map((offset) => positionAt(lines, offset)) : []
    problems.push(...lost.map((position) => ({ position, sentence: badAlias })))
    keepOneOfEachKey(document)
    const raw: unknown = readable && lost.length === 0 ? document.toJS({ maxAliasCount }) : undefined
    return {
      readable: readable && lost.length === 0,
      raw,
      problems: firstOfEachLine(problems),
      position: (path, at) => positionOf(document, lines, path, at),
    }
  } catch (error) {
    const bomb = error instanceof ReferenceError
    const sentence = bomb
      ? `aliases expand to more than ${maxAliasCount} values`
      : 'this is nested too deeply to be read'
    return { ...nothing, problems: [{ position: start, sentence }] }
  }
}

export function locateIn(file: string, yaml: YamlFile): Locate {
  return (path, at = 'value') => {
    const { text, offset } = yaml.position(path, at)
    return { prefix: `${file}:${text}`, name: formatPath(path), order: offset }
  }
}

/** Drops errors below a key whose colon is missing, because the parser reads the indented lines after it as the key. */
function withoutFollowing(errors: readonly YAMLError[], source: string): readonly YAMLError[] {
  const isKey = ({ code }: YAMLError) => code === 'MULTILINE_IMPLICIT_KEY' || code === 'BLOCK_AS_IMPLICIT_KEY'
  const startsMap = new Set(errors.flatMap(({ code, pos }) => (code === 'BLOCK_AS_IMPLICIT_KEY' ? [pos[0]] : [])))
  const broken = errors.filter(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && !startsMap.has(pos[0]))
  const blocks = broken.map(({ pos: [at] }) => [at, endOfBlock(source, at)] as const)
  return errors.filter((error) => !isKey(error) || !blocks.some(([at, end]) => error.pos[0] > at && error.pos[0] < end))
}

/** The start of the first line after a key that is not indented deeper. */
function endOfBlock(source: string, at: number): number {
  const column = at - (source.lastIndexOf('\n', at - 1) + 1)
  const end = source.slice(at).search(new RegExp(`\\n {0,${column}}[^\\s#-]`))
  return end < 0 ? source.length : at + end
}

const isOpenQuote = ({ message }: YAMLError) => message.startsWith('Missing closing')

/** Start offset of each quoted text, by its end offset. */
function quotedTexts(document: Document): ReadonlyMap<number, number> {
  const starts = new Map<number, number>()
  visit(document, {
    Scalar(_key, { type, range }) {
      if (range && (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE')) starts.set(range[1], range[0])
    },
  })
  return starts
}

/** Keeps the first problem of each line, because one mistake causes several errors. */
function firstOfEachLine<P extends YamlProblem>(problems: readonly P[]): readonly P[] {
  const lines = new Set<string>()
  return problems.filter(({ position, sentence }) => {
    const line = sentence.startsWith('duplicate') ? position.text : position.text.replace(/:.*/, '')
    return !lines.has(line) && lines.add(line)
  })
}

/** Offset of the innermost open bracket, by the offset where the parser missed its end. */
function openBrackets(document: Document): ReadonlyMap<number, number> {
  const open = new Map<number, number>()
  visit(document, {
    Collection(_key, { srcToken, range }) {
      if (srcToken?.type !== 'flow-collection' || !range) return
      const isClosed = srcToken.end.some(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end')
      if (!isClosed) open.set(range[1], range[0])
    },
  })
  return open
}

/** Of equal keys keeps the last one with a value, so that an empty one is not reported as a second problem. */
function keepOneOfEachKey(document: Document): void {
  visit(document, {
    Map(_key, map) {
      const nameOf = (key: unknown) => String(isScalar(key) ? key.value : key)
      const isEmpty = (value: unknown) => value === null || (isScalar(value) && value.value === null)
      const kept = new Map<string, (typeof map.items)[number]>()
      for (const pair of map.items) {
        const name = nameOf(pair.key)
        if (!kept.has(name) || !isEmpty(pair.value)) kept.set(name, pair)
      }
      if (kept.size < map.items.length) map.items = [...kept.values()]
    },
  })
}

function lostAliases(document: Document): number[] {
  const offsets: number[] = []
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined) offsets.push(alias.range?.[0] ?? 0)
    },
  })
  return offsets
}

function duplicateKey(source: string, offset: number): string {
  const key = /^["']?([\w.-]{1,64})/.exec(source.slice(offset, offset + 80))?.[1]
  return `duplicate key${key === undefined ? '' : ` \`${key}\``}; a map has each key at most once`
}

interface Position {
  readonly offset: number
  /** `line:column`, both from 1. */
  readonly text: string
}

/** The position of the value (or key) at a path; of the closest parent when it is missing. */
function positionOf(document: Document, lines: LineCounter, path: KeyPath, at: 'key' | 'value'): Position {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [index, part] of path.entries()) {
    const step = stepInto(resolved(node, document), part)
    if (step === undefined) break
    node = step.value
    const wantsKey = at === 'key' && index === path.length - 1
    offset = (wantsKey ? undefined : node?.range?.[0]) ?? step.key?.range?.[0] ?? offset
  }
  return positionAt(lines, offset)
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset)
  return { offset, text: `${line}:${col}` }
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

function resolved(node: Node | null, document: Document): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node
}
