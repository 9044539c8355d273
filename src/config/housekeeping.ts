import type { Settings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import { oneOf, text, wholeNumber } from './yaml/leaves.ts'
import { readSection } from './yaml/section.ts'

const wantedStore = 'want the path of the database file'

const sections = {
  history: { retentionDays: wholeNumber(1, 36_500).optional() },
  store: { path: text(wantedStore, /^(?!\s*:memory:).*\S/s).optional() },
  log: { level: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional() },
}

/** Reads `history`, `store` and `log`. */
export function readHousekeeping(
  raw: Readonly<Record<string, unknown>>,
  { report }: Context,
): Pick<Settings, 'historyRetentionDays' | 'storePath' | 'logLevel'> {
  const { retentionDays = 400 } = readSection(sections.history, raw['history'], ['history'], report)
  const { path = 'data/tenantwatch.db' } = readSection(sections.store, raw['store'], ['store'], report)
  const { level = 'info' } = readSection(sections.log, raw['log'], ['log'], report)
  return { historyRetentionDays: retentionDays, storePath: path, logLevel: level }
}
