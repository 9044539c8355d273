import { UsageError } from '../../model/errors.ts'
import { defaultReadings, type Readings, type ReadingsInput } from '../../simulator/index.ts'
import { oneOf } from './options.ts'

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
    const text = pair.slice(at + 1)
    const value = at < 0 ? true : known?.includes(text) === true ? text : parse(text)
    validate(`reading ${name}`, value, Reflect.get(defaultReadings, name), known)
    return [name, value] as const
  })
  return Object.fromEntries(read) as ReadingsInput
}

function wordsOf(name: string): readonly string[] | undefined {
  if (name === 'cursorKind') return cursorKinds
  return Object.entries(words).find(([worded]) => worded === name)?.[1]
}

function validate(what: string, value: unknown, usual: unknown, known: readonly string[] | undefined): void {
  const wrong = (wanted: string) => new UsageError(`${what[0]?.toUpperCase()}${what.slice(1)}: want ${wanted}`)
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
  if (known !== undefined && typeof value === 'string') oneOf(what, known, value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
