import type { Mirror } from '../mirror/port.ts'
import { layoutFacts, type StoreFacts } from '../mirror/sqlite/store-facts.ts'
import { toIso } from '../model/dates.ts'
import { dayMs, describeDuration } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

const mib = 2 ** 20
/** With less than this no page may fit any more. */
const minFreeBytes = 16 * mib
/** What a backup and a migration want beside the size of the database. */
const spareBytes = 64 * mib
/** A log of this size was not put back for long: something keeps reading. */
const largeWalBytes = 256 * mib
const silentMs = dayMs

/** What can be told without the database: who works on it and what room it has. */
export function diagnosePlace({ path, exists, bytes, walBytes, freeBytes, lock }: StoreFacts): readonly Diagnosis[] {
  const found: Diagnosis[] = []
  if (!exists) found.push(diagnoseAbsence(path, lock))
  found.push(diagnoseLock(lock))
  if (walBytes > largeWalBytes) {
    const advice = 'Something reads the database without end: look for commands that hang'
    found.push(warning('write-ahead log', `${size(walBytes)} beside the database`, advice))
  }
  return freeBytes === null ? found : [...found, diagnoseRoom(freeBytes, bytes)]
}

function diagnoseAbsence(path: string, { mirrorMade }: StoreFacts['lock']): Diagnosis {
  if (mirrorMade !== true) return fine('database', `${path} is not there yet; the first sync makes it`)
  const advice = `Restore a backup, or move ${path}-lock away to begin anew without its history`
  return failure('database', `${path} is gone or empty although there was one: no engine starts`, advice)
}

function diagnoseLock({ held, pid }: StoreFacts['lock']): Diagnosis {
  if (held === null) {
    const advice = 'Run the doctor as the user of the daemon'
    return warning('engine', 'whether one is at work cannot be told: the lock file may not be read', advice)
  }
  const by = pid === null ? '' : ` (process ${pid})`
  return fine('engine', held ? `one is at work${by}` : 'none is at work on this database')
}

function diagnoseRoom(freeBytes: number, bytes: number): Diagnosis {
  const sentence = `${size(freeBytes)} free`
  const advice = 'Free space on the volume of store.path'
  if (freeBytes < minFreeBytes) return failure('disk', `${sentence}: runs fail with reason store`, advice)
  if (freeBytes < bytes + spareBytes) return warning('disk', `${sentence}: an upgrade may find no room`, advice)
  return fine('disk', sentence)
}

/** The mirror beside an engine, or why it cannot be opened. */
export type Opened = { readonly mirror: Mirror } | { readonly problem: string }

/** Reads all of the database for damage and says how it stands. */
export async function diagnoseStore(
  { path, bytes, walBytes }: StoreFacts,
  opened: Opened,
  now: number,
  signal: AbortSignal,
  retentionDays: number,
): Promise<readonly Diagnosis[]> {
  try {
    const { age, sqliteVersion, runs } = layoutFacts(path)
    const what = `${path}, ${size(bytes)} and ${size(walBytes)} of log, SQLite ${sqliteVersion}`
    if (age !== 'current') {
      const advice = 'The next "run" or "sync" of this version brings it up to date; make a backup first'
      return [warning('database', `${what}: of an older layout`, advice)]
    }
    if ('problem' in opened) return [failure('database', opened.problem, null)]
    const { mirror } = opened
    await mirror.verify(signal)
    return [
      fine('database', `${what}: read whole, nothing damaged`),
      diagnoseRuns(runs, now),
      ...(await diagnoseHolds(mirror)),
      ...(await diagnoseErasure(mirror, now, retentionDays)),
    ]
  } catch (error) {
    if (signal.aborted) throw error
    return [unusable(error)]
  }
}

/** What went wrong when the database was read. */
export function unusable(error: unknown): Diagnosis {
  const hint = error instanceof SyncError ? (error.hint ?? null) : null
  return failure('database', error instanceof Error ? error.message : String(error), hint)
}

function diagnoseRuns(runs: ReturnType<typeof layoutFacts>['runs'], now: number): Diagnosis {
  if (runs === null) return warning('runs', 'none was ever ended', 'Start the engine, or run "tenantwatch sync"')
  const { oldest, latest, count } = runs
  const sentence = `${count} since ${toIso(oldest).slice(0, 10)}, the latest ended ${describeDuration(now - latest)} ago`
  return now - latest > silentMs
    ? warning('runs', sentence, 'Nothing is read from the tenants: start the engine')
    : fine('runs', sentence)
}

async function diagnoseHolds(mirror: Mirror): Promise<readonly Diagnosis[]> {
  const { length } = await mirror.holds()
  if (length === 0) return []
  return [
    warning('holds', `${length} on hold`, 'See "tenantwatch accept": what is held is not written until it is decided'),
  ]
}

/** An engine erases once a day, by the confirmed time. */
const erasureGraceMs = 2 * dayMs

async function diagnoseErasure(mirror: Mirror, now: number, retentionDays: number): Promise<readonly Diagnosis[]> {
  const names = await mirror.overdueErasure(now - retentionDays * dayMs - erasureGraceMs)
  if (names.length === 0) return []
  const sentence = `overdue for ${names.join(', ')}: findings or names are older than history.retentionDays (${retentionDays})`
  const advice =
    'The engine erases once a tenant has confirmed the time: check the clock and that the tenants answer; "tenantwatch purge TENANT" erases a tenant that left the configuration'
  return [warning('erasure', sentence, advice)]
}

function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`
}
