import type { Check } from '../../src/evaluate/check.ts'
import type { Log } from '../../src/model/log.ts'

class Ailment extends Error {}

/** The checks with one of them broken: it throws whenever it is to evaluate. */
export function withAiling(checks: readonly Check[], id: string | null): readonly Check[] {
  const begin = () => {
    throw new Ailment(`${id} cannot evaluate`)
  }
  return checks.map((check) => (check.id === id ? { ...check, begin } : check))
}

/**
 * A log that reports faults of the product itself, which it logs as errors.
 *
 * @param line receives every line as it would be written.
 */
export function bugLog(bug: (message: string) => void, line: (text: string) => void): Log {
  const note = (fields: object, message: string) => line(`${message} ${JSON.stringify(fields)}`)
  const log: Log = {
    debug: note,
    info: note,
    warn: note,
    error(fields, message) {
      note(fields, message)
      const error = 'err' in fields && fields.err instanceof Error ? fields.err : null
      const isMeant = error instanceof Ailment || message.startsWith('The data look like another tenant')
      if (!isMeant) bug(`${message} ${error?.stack ?? ''}`)
    },
    child: () => log,
  }
  return log
}
