import type { Settings } from '../config/settings.ts'
import { isLoopback } from '../model/process/address.ts'
import type { Io } from '../model/process/io.ts'
import { firstOf, plural } from '../model/text/words.ts'
import { dayMs, describeDuration, secondMs } from '../model/time.ts'
import type { ServerFacts } from '../store/db/postgres/server.ts'
import type { StoreFacts } from '../store/db/sqlite/store-facts.ts'
import type { Mirror } from '../store/port.ts'
import { type Diagnosis, failure, fine, judged, problemOf, warning } from './diagnosis.ts'

const mib = 2 ** 20
/** With less free space, writing a page of records may fail. */
const minFreeBytes = 16 * mib
/** Space for a backup or a migration, on top of the size of the database. */
const spareBytes = 64 * mib
/** A write-ahead log of this size has not been checkpointed for long, because a reader blocks it. */
const largeWalBytes = 256 * mib

const writableAdvice = 'Run the doctor as the user of the daemon, and let that user own the file and its folder'

/** Diagnoses the file without opening the database. */
export function diagnosePlace(facts: StoreFacts): readonly Diagnosis[] {
  const { path, exists, bytes, walBytes, freeBytes, lock, obstacle, isOfAll } = facts
  const found: Diagnosis[] = []
  if (!exists) found.push(diagnoseAbsence(facts))
  else if (obstacle !== null) found.push(failure('database', `${path} cannot be used: ${obstacle}`, writableAdvice))
  if (isOfAll) {
    const advice = `Run "chmod o-rw ${path}*"`
    found.push(warning('database', `every user of this machine may read or replace ${path}`, advice))
  }
  found.push(diagnoseLock(lock))
  if (walBytes > largeWalBytes) {
    const advice = 'A process keeps a read transaction open: look for commands that hang'
    found.push(warning('write-ahead log', `${size(walBytes)} beside the database`, advice))
  }
  return freeBytes === null ? found : [...found, diagnoseRoom(freeBytes, bytes)]
}

function diagnoseAbsence({ path, lock, obstacle }: StoreFacts): Diagnosis {
  if (obstacle !== null) {
    const advice = 'Give the user of the daemon a folder that it may write to, or set another path in store.path'
    return failure('database', `${path} does not exist and cannot be created: ${obstacle}`, advice)
  }
  if (lock.mirrorMade !== true) return fine('database', `${path} does not exist yet; the first sync creates it`)
  const advice = `Restore a backup, or move ${path}-lock away to start with an empty mirror`
  return failure('database', `${path} existed before and is missing or empty: the engine does not start`, advice)
}

function diagnoseLock({ held, damage }: StoreFacts['lock']): Diagnosis {
  if (damage !== null) return failure('engine', damage, null)
  const unknown = 'unknown whether one is running: no permission to read the lock file'
  const sentence = held === null ? unknown : held ? 'one is running' : 'none is running on this database'
  return judged('engine', held !== null, sentence, 'Run the doctor as the user of the daemon')
}

function diagnoseRoom(freeBytes: number, bytes: number): Diagnosis {
  const sentence = `${size(freeBytes)} free`
  const advice = 'Free space on the volume of store.path'
  if (freeBytes < minFreeBytes) return failure('disk', `${sentence}: runs soon fail with reason store`, advice)
  const hasRoom = freeBytes >= bytes + spareBytes
  return judged('disk', hasRoom, `${sentence}${hasRoom ? '' : ': too little for an upgrade or a backup'}`, advice)
}

export interface OpenedStore {
  /** Null for a database of PostgreSQL. */
  readonly facts: StoreFacts | null
  /** Null for a file. */
  readonly server: ServerFacts | null
  /** Why it cannot be opened, in place of the mirror. */
  readonly mirror: Mirror | Diagnosis
}

/** Reads the whole database for damage and reports former tenants and overdue erasure. */
export async function diagnoseStore(
  { facts, server, mirror }: OpenedStore,
  settings: Settings,
  { clock, stop }: Io,
): Promise<readonly Diagnosis[]> {
  const tenants = settings.tenants.map(({ name }) => name)
  const now = clock.now()
  const found = server === null ? [] : diagnoseServer(server, { tenants, now })
  if (server !== null && (server.problem !== null || server.layout === 'none' || server.layout === 'older'))
    return found
  if ('level' in mirror) return [...found, mirror]
  try {
    await mirror.verify(stop)
    return [
      ...found,
      facts === null
        ? fine('database', 'the database of store.url can be read')
        : fine('database', `${whatOf(facts)}: read completely, no damage found`),
      ...(await diagnoseFormerTenants(mirror, tenants)),
      ...(await diagnoseErasure(mirror, now, settings.historyRetentionDays)),
    ]
  } catch (error) {
    if (stop.aborted) throw error
    return [...found, unusable(error)]
  }
}

function whatOf({ path, bytes, walBytes }: StoreFacts): string {
  return `${path}, ${size(bytes)} and ${size(walBytes)} of write-ahead log`
}

/** The failure to read the database. */
export function unusable(error: unknown): Diagnosis {
  const { message, hint } = problemOf(error)
  return failure('database', message, hint)
}

async function diagnoseFormerTenants(mirror: Mirror, configured: readonly string[]): Promise<readonly Diagnosis[]> {
  const names = (await mirror.tenants()).map(({ name }) => name).filter((name) => !configured.includes(name))
  if (names.length === 0) return []
  const sentence = `no longer configured, but in the mirror: ${names.join(', ')}`
  const advice = 'Configure them again under the same name to continue, or erase them with "tenantwatch purge TENANT"'
  return [warning('former tenants', sentence, advice)]
}

/** The engine erases once a day and uses the time that a tenant confirms. */
const erasureGraceMs = 2 * dayMs

async function diagnoseErasure(mirror: Mirror, now: number, retentionDays: number): Promise<readonly Diagnosis[]> {
  const names = await mirror.overdueErasure(now - retentionDays * dayMs - erasureGraceMs)
  if (names.length === 0) return []
  const sentence = `overdue for ${names.join(', ')}: findings or names are older than history.retentionDays (${retentionDays})`
  const advice = 'The engine erases after a tenant has confirmed the time: check the clock and that the tenants answer'
  return [warning('erasure', sentence, advice)]
}

function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** Views compute ages by the server's clock, so a greater skew is reported. */
const greatestSkewMs = 10 * secondMs
/** Time within which other replicas take over the tenants of a killed one. */
const takeoverMs = 15 * secondMs
const mostNames = 10

interface ServerReading {
  /** Names of the configured tenants. */
  readonly tenants: readonly string[]
  readonly now: number
}

/** The server behind `store.url`, and who owns the tenants. */
export function diagnoseServer(facts: ServerFacts, reading: ServerReading): readonly Diagnosis[] {
  const { version, place, user, roundTripMs, problem, skewMs, layout, owners } = facts
  const server = `PostgreSQL ${version}, ${place}, as ${user}`
  if (problem !== null)
    return [failure('server', `${server} cannot be used: ${problem.sentence}`, problem.advice), diagnoseTls(facts)]
  const seconds = `${Math.abs(skewMs / secondMs).toFixed(1)} s`
  const found = [
    fine('server', `${server}, ${Math.round(roundTripMs)} ms away`),
    diagnoseTls(facts),
    diagnoseRights(facts),
    judged(
      'server clock',
      Math.abs(skewMs) <= greatestSkewMs,
      `the server is ${seconds} ${skewMs < 0 ? 'behind' : 'ahead'}`,
      'Keep both clocks in step with NTP: the views compute ages by the clock of the server',
    ),
  ]
  // A newer layout is reported as failure to open the mirror.
  if (layout !== 'newer') {
    const words = { current: 'that of this version', none: 'none yet; the first "run" or "sync" makes it' }
    const text = layout === 'older' ? 'of an older version' : words[layout]
    const advice = 'The next "run" or "sync" of this version migrates it; make a backup first'
    found.push(judged('layout', layout !== 'older', text, advice))
  }
  return owners === null ? found : [...found, diagnoseOwners(owners, reading)]
}

function diagnoseTls({ tls, host }: ServerFacts): Diagnosis {
  if (tls === null) {
    if (host.startsWith('/') || isLoopback(host)) return fine('TLS', 'not used on this machine')
    return warning('TLS', 'not used: records and the password travel unencrypted', 'Remove sslmode=disable')
  }
  const verified = tls.isVerified ? 'certificate verified' : 'but the certificate of the server is not verified'
  const advice = 'Set sslmode=verify-full, and sslrootcert if its authority is your own'
  return judged('TLS', tls.isVerified, `${tls.protocol}, ${verified}`, advice)
}

function diagnoseRights({ user, isSuperuser, mayCreate, mayWrite, layout }: ServerFacts): Diagnosis {
  const isDue = layout === 'none' || layout === 'older'
  if (mayCreate === 0 || mayWrite === 0) {
    const sentence = mayWrite === 0 ? 'may not change all tables of the mirror' : 'may create nothing in the schema'
    const report = mayWrite === 0 || isDue ? failure : warning
    return report('rights', `${user} ${sentence}`, 'Make it the owner of the database and its tables')
  }
  const advice = 'Use a separate role that owns the database and nothing else'
  return judged('rights', isSuperuser !== 1, `${user} is ${isSuperuser === 1 ? 'a' : 'no'} superuser`, advice)
}

function diagnoseOwners(owners: NonNullable<ServerFacts['owners']>, { tenants, now }: ServerReading): Diagnosis {
  const unowned = tenants.filter((name) => owners.get(name)?.isAlive !== true)
  if (unowned.length === 0) return fine('owners', `${plural(tenants.length, 'tenant')}, each owned by a living replica`)
  const named = unowned.map((name) => {
    const { since } = owners.get(name) ?? {}
    return (since ?? null) === null ? name : `${name} (for ${describeDuration(now - (since ?? now))})`
  })
  const sentence = `no living replica owns ${firstOf(named, mostNames)}`
  const advice = `Replicas take such tenants within ${takeoverMs / secondMs} s: start one whose configuration has them`
  const isNoneOwned = unowned.length === tenants.length
  return warning('owners', sentence, isNoneOwned ? 'No sync is running: start the daemon' : advice)
}
