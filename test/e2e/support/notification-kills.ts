import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { type Simulator, startSimulator } from '../../../src/simulator/index.ts'
import { createPrng, type Prng } from '../../simulation/prng.ts'
import { listening } from '../../support/listening.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import type { PostgresServer } from './postgres-server.ts'
import { type Program, placeFor, program, until } from './program.ts'

/** A message as it arrived. */
interface Arrival {
  /** The process that sent it. */
  readonly life: number
  readonly id: string
  readonly events: readonly number[]
  readonly more: number
  /** Whether the receiver began to answer 200. */
  accepted: boolean
}

type Manner = (response: ServerResponse, arrival: Arrival) => void

const accept: Manner = (response, arrival) => {
  arrival.accepted = true
  response.end('ok')
}

/** What receivers do; `hang` never answers. */
const manners = {
  accept,
  hang: () => {},
  fail: (response) => void response.writeHead(500).end(),
  limit: (response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  close: (response) => void response.destroy(),
  redirect: (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
  breakOff(response, arrival) {
    arrival.accepted = true
    response.writeHead(200, { 'content-length': '99' })
    response.write('o', () => response.destroy())
  },
} satisfies Readonly<Record<string, Manner>>

const moods = [accept, accept, accept, ...Object.values(manners).filter((one) => one !== manners.hang)]

/** A receiver of webhooks. @param pick decides what it does with a message. */
async function receiver(pick: () => Manner, arrived: () => void = () => {}) {
  const arrivals: Arrival[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request).catch(() => null)
    if (body === null) return
    const { id, items, more } = JSON.parse(body)
    const events = items.map(({ eventId }: { eventId: number }) => eventId)
    const arrival = { life: Number(request.url?.slice(1)), id, events, more, accepted: false }
    arrivals.push(arrival)
    arrived()
    pick()(response, arrival)
  })
  return { arrivals, url: `http://127.0.0.1:${await listening(server)}/` }
}

/** When a process is killed: at any time, or around the moment in which a message arrives. */
function killTime(prng: Prng, arrival: Promise<void>): Promise<unknown> {
  if (prng.chance(0.3)) return delay(prng.between(0, 15_000))
  const after = prng.chance(0.5) ? prng.between(0, 5) : prng.between(0, 60)
  return Promise.race([arrival.then(() => delay(after)), delay(40_000)])
}

function changeUsers({ primary }: Simulator, prng: Prng): void {
  const user = prng.pick([...primary.users.all()].filter(({ state }) => state === 'Active'))
  primary.users.update(user.userId, { mfaStatus: user.mfaStatus !== true })
}

/**
 * Kills a daemon again and again while users change, with a receiver that accepts, one of many moods and one that hangs.
 *
 * @param server with PostgreSQL, a second replica takes over each time.
 * @returns how often it was killed, what arrived, and what contradicts docs/notifications.md.
 */
export async function killDaemons(kills: number, seed: number, server?: PostgresServer) {
  const prng = createPrng(seed)
  const simulator = await startSimulator({ controlPort: null, seed, sizes: { users: 12, documents: 5 } })
  onTestFinished(() => simulator.close())
  simulator.primary['authentication-settings'].update(0, { mfaEnabled: true })
  let arrived = Promise.withResolvers<void>()
  const steady = await receiver(
    () => accept,
    () => arrived.resolve(),
  )
  let isOver = false
  // Failures without end would make the last process wait for minutes.
  const moody = await receiver(() => (isOver ? accept : prng.pick(moods)))
  const hanging = await receiver(() => manners.hang)
  const receivers = Object.entries({ steady, moody, hanging })
  const targets = receivers.map(
    ([name]) => `  - { name: ${name}, to: { webhook: { url: { env: ${name} } } }, on: [opened, resolved] }`,
  )
  const schedule = '{ users: { full: "*/2 * * * * *" }, evaluate: "*/5 * * * * *" }'
  const more = `schedule: ${schedule}\nnotifications:\n${targets.join('\n')}`
  const { store, folder, env } = placeFor(simulator, temporaryFolder(), more)
  const read = <Row extends object>(text: string) =>
    server === undefined ? fromFile<Row>(store, text) : server.query<Row>(text)

  let lives = 0
  /** Each process has addresses of its own. */
  const start = () => {
    const urls = receivers.map(([name, { url }]) => [name, `${url}${lives}`])
    lives++
    const database = server && { TENANTWATCH_STORE_URL: server.url }
    return program({ folder, env: { ...env, ...database, ...Object.fromEntries(urls) } }, 'run')
  }
  const running: Program[] = []
  const startMissing = () => {
    while (running.length < (server === undefined ? 1 : 2)) running.push(start())
  }
  const kill = async (one: Program | undefined) => {
    one?.child.kill('SIGKILL')
    await one?.ended
  }

  startMissing()
  // With an odd seed the message about the first sync is among what is killed.
  if (seed % 2 === 0) await until(async () => ((await sentUpTo(read)).get('steady') ?? 0) > 0)
  for (let n = 0; n < kills; n++) {
    arrived = Promise.withResolvers()
    const time = killTime(prng, arrived.promise)
    for (let changes = prng.between(1, 2); changes > 0; changes--) changeUsers(simulator, prng)
    await time
    isOver = n === kills - 1
    // The older of two replicas owns the tenant.
    await kill(running.shift())
    startMissing()
  }
  await until(() => running.every(({ stderr }) => stderr.includes('"msg":"Listening"')))
  // The last changes are read and evaluated by then.
  await delay(server === undefined ? 15_000 : 40_000)
  await until(async () => {
    const reached = await sentUpTo(read)
    return reached.get('end') === reached.get('steady') && reached.get('end') === reached.get('moody')
  })
  const problems: string[] = []
  for (const { child, ended } of running) {
    child.kill('SIGTERM')
    const { code } = await ended
    if (code !== 0) problems.push(`a process ended with ${code}`)
  }
  const events = await newsIn(read)
  for (const [name, { arrivals }] of Object.entries({ steady, moody }))
    problems.push(...contradictions(events, arrivals).map((one) => `seed ${seed}, ${name}: ${one}`))
  if (hanging.arrivals.length === 0) problems.push('nothing was sent to the receiver that hangs')
  const repeated = steady.arrivals.filter(({ id }, i, all) => id === all[i - 1]?.id).length
  const told = new Set(steady.arrivals.flatMap((one) => one.events)).size
  const folded = [...steady.arrivals, ...moody.arrivals].filter(({ more }) => more > 0).length
  return { kills, events: events.length, messages: steady.arrivals.length, told, repeated, folded, problems }
}

type Read = <Row extends object>(text: string) => Promise<readonly Row[]>

async function fromFile<Row>(file: string, text: string): Promise<readonly Row[]> {
  if (!existsSync(file)) return []
  const database = new BetterSqlite3(file, { readonly: true })
  try {
    return database.prepare<[], Row>(text).all()
  } catch {
    // The tables are not made yet.
    return []
  } finally {
    database.close()
  }
}

/** By target; `end` is the last event that may be news. */
async function sentUpTo(read: Read): Promise<ReadonlyMap<string, number>> {
  const text = `select target, event_id as id from notification_positions union all
    select 'end', max(id) from events where tenant_id = (select id from tenants)`
  const rows = await read<{ target: string; id: number | string }>(text).catch(() => [])
  return new Map(rows.map(({ target, id }) => [target, Number(id)]))
}

/** Events that a target without `minSeverity` is told. */
async function newsIn(read: Read): Promise<readonly number[]> {
  const kinds = "'finding.opened', 'finding.reopened', 'finding.resolved'"
  const rows = await read<{ id: number | string }>(`select id from events where kind in (${kinds}) order by id`)
  return rows.map(({ id }) => Number(id))
}

/** @param events all that are news, in order. */
function contradictions(events: readonly number[], arrivals: readonly Arrival[]): readonly string[] {
  const problems: string[] = []
  let reached = 0
  for (const { id, events: told, more } of arrivals.filter((one) => one.accepted)) {
    const upTo = Number(id.split('/')[1])
    const pending = events.filter((event) => event > reached && event <= upTo)
    const untold = pending.filter((event) => !told.includes(event))
    if (untold.length > more) problems.push(`${id} lacks ${untold}`)
    if (told.some((event) => !events.includes(event))) problems.push(`${id} has ${told}`)
    reached = Math.max(reached, upTo)
  }
  if (events.some((event) => event > reached)) problems.push(`lost: those after ${reached}`)
  for (const [life, own] of Map.groupBy(arrivals, (one) => one.life)) {
    const once = own.filter((one) => one.accepted).flatMap((one) => one.events)
    if (once.some((id, i) => id <= (once[i - 1] ?? 0))) problems.push(`twice or out of order in ${life}: ${once}`)
  }
  // What arrives for the first time is later than all that arrived before, unless a message has the foremost items only.
  const seen = new Set<number>()
  for (const { events: told, more } of arrivals)
    for (const id of told) {
      if (more === 0 && !seen.has(id) && [...seen].some((one) => one > id)) problems.push(`${id} after a later one`)
      seen.add(id)
    }
  return problems
}
