import { UsageError } from '../../model/errors.ts'
import { canCarryToken } from '../../model/token-header.ts'
import { defaultReadings, type Readings, type ReadingsInput } from '../../simulator/readings.ts'
import { oneOf, repeated } from './options.ts'

type Worded = { [K in keyof Readings]: Readings[K] extends string ? (string extends Readings[K] ? never : K) : never }
type WordedName = Worded[keyof Readings]

const words: { readonly [K in WordedName]: readonly Readings[K][] } = {
  absentCursor: ['null', 'empty', 'missing'],
  badPageSize: ['clamp', 'reject'],
  documentOrder: ['updatedAt', 'createdAt', 'fileId'],
  emptyCursorParameter: ['invalid', 'absent'],
  errorShape: ['object', 'array', 'string', 'nested'],
  guidCasing: ['lower', 'upper', 'alternate'],
  headerCase: ['lower', 'title', 'upper'],
  metaTimestamps: ['z', 'z7', 'no-offset'],
  requestIdCasing: ['lower', 'upper'],
  timestamps: ['z', 'z7', 'no-offset', 'offset'],
  unorderedLists: ['rotate', 'stable'],
  updatedAfterNulls: ['createdAt', 'exclude'],
  usersUpdatedAfter: ['ignored', 'createdAt'],
}

const cursorKinds = ['keyset', 'offset'] as const satisfies readonly Readings['cursorKind']['users'][]

/** `cursorKind={"users":"offset"}`: a value is JSON, or text when it is not valid JSON. @throws UsageError */
export function readReadings(pairs: readonly string[]): ReadingsInput {
  const names = Object.keys(defaultReadings)
  const read = pairs.map((pair) => {
    const at = pair.indexOf('=')
    const name = at < 0 ? pair : pair.slice(0, at)
    oneOf('reading', names, name)
    const known = wordsOf(name)
    const usual: unknown = Reflect.get(defaultReadings, name)
    if (at < 0 && typeof usual !== 'boolean') throw new UsageError(`Reading ${name}: expected ${name}=VALUE`)
    const text = pair.slice(at + 1)
    const value = at < 0 ? true : known?.includes(text) === true ? text : parse(text)
    validate(`reading ${name}`, value, usual, known)
    const wanted = wantedOf(name, value)
    if (wanted !== null) throw new UsageError(`Reading ${name}: expected ${wanted}`)
    return [name, value] as const
  })
  return Object.fromEntries(read) as ReadingsInput
}

/** The expected values; null if the simulator can use this one. */
function wantedOf(name: string, value: unknown): string | null {
  switch (name) {
    case 'defaultPageSize':
    case 'maxPageSize': {
      const sizes = Object.values(value as object)
      return sizes.every((size) => Number.isSafeInteger(size) && size > 0) ? null : 'whole numbers, 1 or more'
    }
    case 'tokenHeader':
      return typeof value === 'string' && canCarryToken(value)
        ? null
        : 'the name of a header that can carry the token, such as X-Api-Key'
    case 'tokenScheme':
      return typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]*$/.test(value) ? null : 'one word, or nothing'
    case 'inactiveRoleState':
      return value === null || value === '' ? 'a text' : null
    case 'pageSizeParameter':
    case 'apiClientsPageSizeParameter':
      return value === '' ? 'the name of a parameter, or null for none' : null
    default:
      return null
  }
}

/** One line for each reading: name, values, default. */
export function describeReadings(): string {
  return Object.entries(defaultReadings)
    .map(([name, usual]) => `  ${name}=${valuesOf(name, usual)}`)
    .join('\n')
}

function valuesOf(name: string, usual: unknown): string {
  const known = wordsOf(name)
  const kind = kindOf(name, usual)
  if (typeof usual !== 'object' || usual === null)
    return `${known?.join('|') ?? kind} (${usual === '' ? 'nothing' : usual})`
  const defaults = Object.entries(usual).map(([feed, one]) => `${feed} ${one}`)
  return `{"FEED":${known?.map((word) => `"${word}"`).join('|') ?? kind}} (${defaults.join(', ')})`
}

function kindOf(name: string, usual: unknown): string {
  if (name.endsWith('Parameter')) return 'NAME|null'
  if (name.endsWith('PageSize')) return 'NUMBER'
  return typeof usual === 'boolean' || name === 'lastPageCursor' ? 'true|false' : 'TEXT'
}

function wordsOf(name: string): readonly string[] | undefined {
  if (name === 'cursorKind') return cursorKinds
  return Object.entries(words).find(([worded]) => worded === name)?.[1]
}

function validate(what: string, value: unknown, usual: unknown, known: readonly string[] | undefined): void {
  const wrong = (wanted: string, given = '') =>
    new UsageError(`${what[0]?.toUpperCase()}${what.slice(1)}${given}: expected ${wanted}`)
  if (typeof usual === 'object' && usual !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('a JSON object')
    for (const [feed, one] of Object.entries(value)) {
      oneOf(`feed of ${what}`, Object.keys(usual), feed)
      validate(`${what} of ${feed}`, one, Reflect.get(usual, feed), known)
    }
    return
  }
  // Only a parameter name may be null, which means no parameter.
  const isName = usual === null || (typeof usual === 'string' && known === undefined)
  if (value === null && isName) return
  const type = usual === null ? 'string' : typeof usual
  if (typeof value !== type) throw wrong(known === undefined ? `a ${type}` : `one of ${known.join(', ')}`)
  if (known !== undefined && typeof value === 'string' && !known.includes(value))
    throw wrong(`one of ${known.join(', ')}`, repeated(value))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
