import { formatPath, type KeyPath } from './key-path.ts'
import { nearest } from './nearest.ts'
import { kindOf, mayContainSecret, shown } from './shown.ts'

/** Where a value stands: the text before the sentence, its name, and its rank in the file for sorting. */
export interface Place {
  readonly prefix: string
  readonly name: string
  readonly order: number
}

/** Finds the place of a value, or of its key. */
export type Locate = (path: KeyPath, at?: 'key' | 'value') => Place

/** Collects everything that is wrong with a configuration. */
export interface Report {
  /** The value at `path` is not what is wanted; `wanted` says what would be, or what to do. */
  wrong(path: KeyPath, value: unknown, wanted: string): void
  /** As `wrong`, naming only the kind of the value: a text where a map is wanted. */
  wrongKind(path: KeyPath, value: unknown, wanted: string): void
  unknownKey(path: KeyPath, validKeys: readonly string[]): void
  /** Something else about the value at `path`; `predicate` follows its name. */
  say(path: KeyPath, predicate: string): void
  /** Every problem once, in the order of the file. */
  sentences(): string[]
}

export function createReport(locate: Locate): Report {
  const found = new Map<string, number>()

  function add(place: Place, sentence: string): void {
    const whole = `${place.prefix}: ${sentence}`
    if (!found.has(whole)) found.set(whole, place.order)
  }

  function say(path: KeyPath, predicate: string): void {
    const place = locate(path)
    add(place, `\`${place.name}\` ${predicate}`)
  }

  return {
    wrong: (path, value, wanted) => say(path, `is ${shown(path, value)}; ${wanted}`),
    wrongKind: (path, value, wanted) => say(path, `is ${kindOf(value)}; ${wanted}`),
    say,
    unknownKey(path, validKeys) {
      const key = String(path.at(-1))
      const near = nearest(key, validKeys)
      const advice = near === undefined ? `valid keys here: ${validKeys.join(', ')}` : `did you mean \`${near}\`?`
      const name = near === undefined && mayContainSecret(path) ? `in \`${formatPath(path.slice(0, -1))}\`` : undefined
      add(locate(path, 'key'), `unknown key ${name ?? `\`${formatPath(path)}\``}; ${advice}`)
    },
    sentences: () => [...found].sort(([, a], [, b]) => a - b).map(([sentence]) => sentence),
  }
}
