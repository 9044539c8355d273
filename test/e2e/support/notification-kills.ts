import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { type Simulator, startSimulator } from '../../../src/simulator/index.ts'
import { createPrng, type Prng } from '../../simulation/prng.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { placeFor, program, until } from './program.ts'

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
async function receiver(lifeOf: () => number, pick: () => Manner, arrived: () => void = () => {}) {
  const arrivals: Arrival[] = []
  const lives = new WeakMap<object, number>()
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const { id, items, more } = JSON.parse(Buffer.concat(chunks).toString())
    const events = items.map(({ eventId }: { eventId: number }) => eventId)
    const arrival = { life: lives.get(request.socket) ?? 0, id, events, more, accepted: false }
    arrivals.push(arrival)
    arrived()
    pick()(response, arrival)
  })
  server.on('connection', (socket) => lives.set(socket, lifeOf()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { arrivals, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** When a process is killed: at any time, or around the moment in which a message arrives. */
function killTime(prng: Prng, arrival: Promise<void>): Promise<unknown> {
  if (prng.chance(0.3)) return delay(prng.between(0, 15_000))
  const after = prng.chance(0.5) ? prng.between(0, 5) : prng.between(0, 60)
  return Promise.race([arrival.then(() => delay(after)), delay(25_000)])
}

function changeUsers({ primary }: Simulator, prng: Prng): void {
  const user = prng.pick([...primary.state.users()].filter(({ state }) => state === 'Active'))
  primary.updateUser(user.userId, { mfaStatus: user.mfaStatus !== true })
}

/**
 * A daemon that is killed again and again while users change, with a receiver that accepts, one of many moods and one that
 * hangs.
 *
 * @returns how often it was killed, what arrived, and what contradicts docs/notifications.md.
 */
export async function killDaemons(kills: number, seed: number) {
  const prng = createPrng(seed)
  const simulator = await startSimulator({ controlPort: null, seed, sizes: { users: 12, documents: 5 } })
  onTestFinished(() => simulator.close())
  simulator.primary.setSettings({ mfaEnabled: true })
  let life = 0
  let arrived = Promise.withResolvers<void>()
  const steady = await receiver(
    () => life,
    () => accept,
    () => arrived.resolve(),
  )
  const moody = await receiver(
    () => life,
    () => prng.pick(moods),
  )
  const hanging = await receiver(
    () => life,
    () => manners.hang,
  )
  const receivers = { steady, moody, hanging }
  const targets = Object.entries(receivers).map(
    ([name]) => `  - { name: ${name}, to: { webhook: { url: { env: ${name} } } }, on: [opened, resolved] }`,
  )
  const schedule = '{ users: { full: "*/2 * * * * *" }, evaluate: "*/5 * * * * *" }'
  const more = `schedule: ${schedule}\nnotifications:\n${targets.join('\n')}`
  const { store, ...place } = placeFor(simulator, temporaryFolder(), more)
  const urls = Object.entries(receivers).map(([name, { url }]) => [name, url])
  const killed = { ...place, env: { ...place.env, ...Object.fromEntries(urls) } }

  if (seed % 2 === 0) {
    // In the others the summary of the first sync is among what is killed.
    const first = program(killed, 'run')
    await until(() => (steady.arrivals.length > 0 && sentUpTo(store).get('steady')) || false)
    first.child.kill('SIGKILL')
    await first.ended
  }
  for (life = 1; life <= kills; life++) {
    arrived = Promise.withResolvers()
    const { child, ended } = program(killed, 'run')
    const time = killTime(prng, arrived.promise)
    for (let n = prng.between(1, 2); n > 0; n--) changeUsers(simulator, prng)
    await time
    child.kill('SIGKILL')
    await ended
  }
  const last = program(killed, 'run')
  await until(() => last.stderr.includes('"msg":"Listening"'))
  // The last changes are read and evaluated by then.
  await delay(15_000)
  await until(() => {
    const reached = sentUpTo(store)
    return reached.get('end') === reached.get('steady') && reached.get('end') === reached.get('moody')
  })
  last.child.kill('SIGTERM')
  const { code } = await last.ended
  const problems = code === 0 ? [] : [`the last one ended with ${code}`]
  const events = newsIn(store)
  for (const [name, { arrivals }] of Object.entries({ steady, moody }))
    problems.push(...contradictions(events, arrivals).map((one) => `seed ${seed}, ${name}: ${one}`))
  if (hanging.arrivals.length === 0) problems.push('nothing was sent to the receiver that hangs')
  const repeated = steady.arrivals.filter(({ id }, i, all) => id === all[i - 1]?.id).length
  const told = new Set(steady.arrivals.flatMap((one) => one.events)).size
  const folded = [...steady.arrivals, ...moody.arrivals].filter(({ more, id }) => more > 0 && !id.endsWith('/0')).length
  return { kills, events: events.length, messages: steady.arrivals.length, told, repeated, folded, problems }
}

function read<Row>(store: string, text: string): readonly Row[] {
  const database = new BetterSqlite3(store, { readonly: true })
  try {
    return database.prepare<[], Row>(text).all()
  } finally {
    database.close()
  }
}

/** By target; `end` is the last event that may be news. */
function sentUpTo(store: string): ReadonlyMap<string, number> {
  const text = `select target, event_id as id from notification_positions union all
    select 'end', max(id) from events`
  return new Map(read<{ target: string; id: number }>(store, text).map(({ target, id }) => [target, id]))
}

/** Events that a target without `minSeverity` is told. */
function newsIn(store: string): readonly number[] {
  const kinds = "'finding.opened', 'finding.reopened', 'finding.resolved'"
  return read<{ id: number }>(store, `select id from events where kind in (${kinds}) order by id`).map(({ id }) => id)
}

/** @param events all that are news, in order. */
function contradictions(events: readonly number[], arrivals: readonly Arrival[]): readonly string[] {
  const problems: string[] = []
  const isSummary = ({ id }: Arrival) => id.endsWith('/0')
  const accepted = arrivals.filter((one) => one.accepted)
  let reached = accepted.findLast(isSummary)?.events[0]
  if (reached === undefined) return ['no summary was accepted']
  for (const { id, events: told, more } of accepted.filter((one) => !isSummary(one))) {
    const upTo = Number(id.split('/')[1])
    const pending = events.filter((event) => event > (reached ?? 0) && event <= upTo)
    const untold = pending.filter((event) => !told.includes(event))
    if (untold.length > more) problems.push(`${id} lacks ${untold}`)
    if (told.some((event) => !events.includes(event))) problems.push(`${id} has ${told}`)
    reached = Math.max(reached, upTo)
  }
  if (events.some((event) => event > (reached ?? 0))) problems.push(`lost: those after ${reached}`)
  const messages = arrivals.filter((one) => !isSummary(one))
  for (const [life, own] of Map.groupBy(messages, (one) => one.life)) {
    const once = own.filter((one) => one.accepted).flatMap((one) => one.events)
    if (once.some((id, i) => id <= (once[i - 1] ?? 0))) problems.push(`twice or out of order in ${life}: ${once}`)
  }
  // What arrives for the first time is later than all that arrived before.
  const seen = new Set<number>()
  for (const id of messages.flatMap((one) => one.events)) {
    if (!seen.has(id) && [...seen].some((one) => one > id)) problems.push(`${id} after a later one`)
    seen.add(id)
  }
  return problems
}
