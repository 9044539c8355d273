import { UsageError } from '../model/errors.ts'
import { defaultReadings, type ReadingsInput } from '../simulator/index.ts'
import { oneOf } from './configuration.ts'

/**
 * Reads `name=value` pairs that say how the simulator reads an open point of the specification: `tokenHeader=x-api-key`,
 * `cursorKind={"users":"offset"}`. Values are JSON, or text where they are none.
 *
 * @throws UsageError for a name that is none or a value of another type than the default's.
 */
export function readReadings(pairs: readonly string[]): ReadingsInput {
  const names = Object.keys(defaultReadings)
  const read = pairs.map((pair) => {
    const at = pair.indexOf('=')
    const name = at < 0 ? pair : pair.slice(0, at)
    oneOf('reading', names, name)
    const value = at < 0 ? true : parse(pair.slice(at + 1))
    const usual: unknown = Reflect.get(defaultReadings, name)
    if (usual !== null && value !== null && typeof value !== typeof usual) {
      throw new UsageError(`Reading ${name}: want ${typeof usual === 'object' ? 'a JSON object' : `a ${typeof usual}`}`)
    }
    return [name, value] as const
  })
  return Object.fromEntries(read) as ReadingsInput
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
