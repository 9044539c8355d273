import { describeDuration, secondMs } from '../model/durations.ts'
import { isLoopback } from '../model/process/address.ts'
import { plural } from '../model/text/numbers.ts'
import { replicaName } from '../model/text/words.ts'
import { connectionsOfCommand, connectionsOfReplica } from '../store/db/postgres/open.ts'
import type { MirrorState, ServerFacts } from '../store/db/postgres/server.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

/** Views compute ages by the server's clock, so a greater skew is reported. */
const greatestSkewMs = 10 * secondMs
/** Share of the connections in use above which a warning is given. */
const mostUsed = 0.9
/** Time within which other replicas take over the tenants of a killed one. */
const takeoverMs = 15 * secondMs
const mostNames = 10

export interface ServerReading {
  /** Names of the configured tenants. */
  readonly tenants: readonly string[]
  readonly now: number
}

/** The server behind `store.url` and the processes on it (docs/postgresql.md#doctor). */
export function diagnoseServer(facts: ServerFacts, reading: ServerReading): readonly Diagnosis[] {
  const { problem, isPooled, layout, mirror } = facts
  if (problem !== null) return [diagnoseSetup(facts), diagnoseTls(facts)]
  return [
    diagnoseSetup(facts),
    diagnoseTls(facts),
    diagnoseRights(facts),
    diagnoseServerClock(facts),
    ...(isPooled ? [pooled] : [diagnoseConnections(facts)]),
    ...diagnoseLayout(layout),
    ...(mirror === null ? [] : [diagnoseReplicas(mirror), ...diagnoseOwners(mirror, reading)]),
  ]
}

/** By the check that a start performs. */
function diagnoseSetup({ version, place, user, roundTripMs, problem }: ServerFacts): Diagnosis {
  const subject = 'server'
  const sentence = `PostgreSQL ${version}, ${place}, as ${user}`
  if (problem === null) return fine(subject, `${sentence}, ${Math.round(roundTripMs)} ms away`)
  return failure(subject, `${sentence} cannot be used: ${problem.sentence}`, problem.advice)
}

function diagnoseTls({ tls, host }: ServerFacts): Diagnosis {
  const isLocal = host.startsWith('/') || isLoopback(host)
  if (tls === null && isLocal) return fine('TLS', 'not used on this machine')
  if (tls === null)
    return warning('TLS', 'not used: records and the password travel unencrypted', 'Remove sslmode=disable')
  if (!tls.isVerified) {
    const advice = 'Set sslmode=verify-full, and sslrootcert if its authority is your own'
    return warning('TLS', `${tls.protocol}, but the certificate of the server is not verified`, advice)
  }
  return fine('TLS', `${tls.protocol}, certificate verified`)
}

function diagnoseRights({ user, isSuperuser, mayCreate, creators, notOwned }: ServerFacts): Diagnosis {
  const subject = 'rights'
  if (mayCreate === 0 || notOwned > 0) {
    const sentence =
      mayCreate === 1
        ? `${user} does not own ${plural(notOwned, 'table or view', 'tables and views')}`
        : `${user} may create nothing in the schema`
    const advice = 'A change of the layout would fail: make the user the owner of the database and of all tables'
    return warning(subject, sentence, advice)
  }
  if (creators !== '') {
    const sentence = `${creators} may create in the schema of the mirror`
    const advice = `Revoke it: functions of other roles there could run with the rights of ${user}`
    return warning(subject, sentence, advice)
  }
  if (isSuperuser === 0) return fine(subject, `${user} owns all tables and may change the layout`)
  return warning(subject, `${user} is a superuser`, 'Use a separate role that owns the database and nothing else')
}

function diagnoseServerClock({ skewMs }: ServerFacts): Diagnosis {
  const sentence = `the server is ${Math.abs(skewMs / secondMs).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead'}`
  if (Math.abs(skewMs) <= greatestSkewMs) return fine('server clock', sentence)
  return warning(
    'server clock',
    sentence,
    'Keep both clocks in step with NTP: the views compute ages by the clock of the server',
  )
}

const pooled = fine(
  'connections',
  'through a pooler: it must keep prepared statements (pgbouncer 1.21 or later, max_prepared_statements above 0) and not pool by statement',
)

function diagnoseConnections({ connections, used, mirror }: ServerFacts): Diagnosis {
  const alive = living(mirror).length
  // One more replica, for a rolling update or a command.
  const needed = (alive + 1) * connectionsOfReplica
  const sentence = `${used} of ${connections} in use; each replica needs up to ${connectionsOfReplica}, each command up to ${connectionsOfCommand}`
  if (needed <= connections && used < mostUsed * connections) return fine('connections', sentence)
  return warning('connections', sentence, 'Raise max_connections or the limit of the role or database, or use a pooler')
}

function diagnoseLayout(layout: ServerFacts['layout']): readonly Diagnosis[] {
  if (layout === 'current') return [fine('layout', 'that of this version')]
  if (layout === 'none') return [fine('layout', 'none yet; the first "run" or "sync" makes it')]
  // A newer layout is reported as failure to open the mirror.
  if (layout === 'newer') return []
  return [
    warning(
      'layout',
      'of an older version',
      'The next "run" or "sync" of this version migrates it; make a backup first',
    ),
  ]
}

function living(mirror: MirrorState | null): MirrorState['replicas'] {
  return mirror === null ? [] : mirror.replicas.filter((one) => one.alive === 1)
}

function diagnoseReplicas(mirror: MirrorState): Diagnosis {
  const subject = 'replicas'
  const alive = living(mirror)
  const stale = mirror.replicas.filter((one) => one.alive !== 1)
  const named = ({ id, alone, tenants, heartbeatAgeMs }: MirrorState['replicas'][number]) =>
    `${replicaName(id)} (${alone === 1 ? 'a command that works alone' : plural(tenants, 'tenant')}, heartbeat ${describeDuration(heartbeatAgeMs)} ago)`
  const list = (all: MirrorState['replicas']) =>
    [...all.slice(0, mostNames).map(named), ...(all.length > mostNames ? [`${all.length - mostNames} more`] : [])].join(
      ', ',
    )
  const ended = stale.length === 0 ? '' : `; died: ${list(stale)}`
  if (alive.length === 0) return warning(subject, `none is alive${ended}`, 'No sync is running: start the daemon')
  return fine(subject, `${alive.length} alive: ${list(alive)}${ended}`)
}

/** Empty without replicas that could own a tenant. */
function diagnoseOwners(mirror: MirrorState, { tenants, now }: ServerReading): readonly Diagnosis[] {
  const { owners } = mirror
  if (living(mirror).every(({ alone }) => alone === 1)) return []
  const unowned = tenants.filter((name) => owners.get(name)?.isAlive !== true)
  if (unowned.length === 0)
    return [fine('owners', `${plural(tenants.length, 'tenant')}, each owned by a living replica`)]
  const since = (name: string) => owners.get(name)?.since ?? null
  const named = unowned.slice(0, mostNames).map((name) => {
    const at = since(name)
    return at === null ? name : `${name} (for ${describeDuration(now - at)})`
  })
  const more = unowned.length > named.length ? ` and ${unowned.length - named.length} more` : ''
  const sentence = `no living replica owns ${named.join(', ')}${more}`
  const advice = `Replicas take such tenants within ${takeoverMs / secondMs} s: start one whose configuration has them`
  return [warning('owners', sentence, advice)]
}
