import { formatPath, type KeyPath } from './key-path.ts'
import { nearest } from './nearest.ts'
import { kindOf, mayContainSecret, shown } from './shown.ts'

/** Place of a value: prefix of the message, name of the value, and position in the file for sorting. */
export interface Place {
  readonly prefix: string
  readonly name: string
  readonly order: number
}

export type Locate = (path: KeyPath, at?: 'key' | 'value') => Place

export interface Report {
  /** The value at `path` is wrong; `wanted` names the right values or the action. */
  wrong(path: KeyPath, value: unknown, wanted: string): void
  /** As `wrong`, but the message names only the type of the value. */
  wrongKind(path: KeyPath, value: unknown, wanted: string): void
  unknownKey(path: KeyPath, validKeys: readonly string[]): void
  /** Another problem of the value at `path`; `predicate` follows its name in the message. */
  problem(path: KeyPath, predicate: string): void
  /** All problems without duplicates, in the order of the file. */
  sentences(): string[]
}

export function createReport(locate: Locate): Report {
  const found = new Map<string, number>()

  function add(place: Place, sentence: string): void {
    const whole = `${place.prefix}: ${sentence}`
    if (!found.has(whole)) found.set(whole, place.order)
  }

  function problem(path: KeyPath, predicate: string): void {
    const place = locate(path)
    add(place, `\`${place.name}\` ${predicate}`)
  }

  return {
    wrong: (path, value, wanted) => problem(path, `is ${shown(path, value)}; ${wanted}`),
    wrongKind: (path, value, wanted) => problem(path, `is ${kindOf(value)}; ${wanted}`),
    problem,
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
