import type { Check } from '../../src/evaluate/check.ts'
import type { Log } from '../../src/model/log.ts'

class Ailment extends Error {}

/** The checks with one of them broken: it throws whenever it is to judge. */
export function withAiling(checks: readonly Check[], id: string | null): readonly Check[] {
  const judge = () => Promise.reject(new Ailment(`${id} cannot judge`))
  return checks.map((check) => (check.id === id ? { ...check, judge } : check))
}

/** A log that tells of the product's own faults alone, as which it logs errors by the house rules. */
export function bugLog(bug: (message: string) => void): Log {
  const nothing = () => {}
  const log: Log = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error(fields, message) {
      const error = 'err' in fields && fields.err instanceof Error ? fields.err : null
      const isMeant = error instanceof Ailment || message.startsWith('The data look like another tenant')
      if (!isMeant) bug(`${message} ${error?.stack ?? ''}`)
    },
    child: () => log,
  }
  return log
}
