import { describeDuration, secondMs } from '../model/durations.ts'
import { isLoopback } from '../model/process/address.ts'
import { plural } from '../model/text/numbers.ts'
import { firstOf, replicaName } from '../model/text/words.ts'
import type { MirrorState, ServerFacts } from '../store/db/postgres/server.ts'
import { type Diagnosis, failure, fine, judged, warning } from './diagnosis.ts'

/** Views compute ages by the server's clock, so a greater skew is reported. */
const greatestSkewMs = 10 * secondMs
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
  const { version, place, user, roundTripMs, problem, skewMs, layout, mirror } = facts
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
  return mirror === null ? found : [...found, diagnoseReplicas(mirror), ...diagnoseOwners(mirror, reading)]
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

function diagnoseRights({ user, isSuperuser, mayCreate }: ServerFacts): Diagnosis {
  if (mayCreate === 0)
    return warning(
      'rights',
      `${user} may create nothing in the schema`,
      'Make it the owner of the database and its tables',
    )
  const advice = 'Use a separate role that owns the database and nothing else'
  return judged('rights', isSuperuser !== 1, `${user} is ${isSuperuser === 1 ? 'a' : 'no'} superuser`, advice)
}

function living({ replicas }: MirrorState): MirrorState['replicas'] {
  return replicas.filter((one) => one.alive === 1)
}

function diagnoseReplicas(mirror: MirrorState): Diagnosis {
  const named = ({ id, alone, tenants, heartbeatAgeMs }: MirrorState['replicas'][number]) =>
    `${replicaName(id)} (${alone === 1 ? 'a command that works alone' : plural(tenants, 'tenant')}, heartbeat ${describeDuration(heartbeatAgeMs)} ago)`
  const list = (all: MirrorState['replicas']) => firstOf(all.map(named), mostNames)
  const alive = living(mirror)
  const dead = mirror.replicas.filter((one) => one.alive !== 1)
  const died = dead.length === 0 ? '' : `; died: ${list(dead)}`
  const text = alive.length === 0 ? 'none is alive' : `${alive.length} alive: ${list(alive)}`
  return judged('replicas', alive.length > 0, `${text}${died}`, 'No sync is running: start the daemon')
}

/** Empty without replicas that could own a tenant. */
function diagnoseOwners(mirror: MirrorState, { tenants, now }: ServerReading): readonly Diagnosis[] {
  const { owners } = mirror
  if (living(mirror).every(({ alone }) => alone === 1)) return []
  const unowned = tenants.filter((name) => owners.get(name)?.isAlive !== true)
  if (unowned.length === 0)
    return [fine('owners', `${plural(tenants.length, 'tenant')}, each owned by a living replica`)]
  const named = unowned.map((name) => {
    const { since } = owners.get(name) ?? {}
    return (since ?? null) === null ? name : `${name} (for ${describeDuration(now - (since ?? now))})`
  })
  const sentence = `no living replica owns ${firstOf(named, mostNames)}`
  const advice = `Replicas take such tenants within ${takeoverMs / secondMs} s: start one whose configuration has them`
  return [warning('owners', sentence, advice)]
}
