import { expect, it } from 'vitest'
import { scheduleLine } from '../support/schedule.ts'
import { mirrorDifferences } from './support/mirror-differences.ts'
import { type PostgresServer, postgresServer } from './support/postgres-server.ts'
import { daemon, program, until } from './support/program.ts'
import { replicaPlaces, sharedBy, startTenants, type Tenants } from './support/replicas.ts'

const everything = ['log_statement=all', 'log_min_duration_statement=0', 'log_min_messages=info']

/** Names, e-mail addresses and file names of persons and their documents. */
function namesIn(tenants: Tenants): readonly string[] {
  return [...tenants.values()].flatMap(({ primary: { users, documents, 'api-clients': clients } }) => [
    ...users.all().flatMap(({ email, lastName }) => [email ?? '', lastName ?? '']),
    ...documents.all().map(({ filename }) => filename ?? ''),
    ...clients.all().map(({ name }) => name ?? ''),
  ])
}

/** Runs what writes and reads: two replicas with changes, a takeover, a command beside them, one alone. */
async function work(server: PostgresServer, tenants: Tenants): Promise<void> {
  const place = replicaPlaces(tenants, scheduleLine('*/3 * * * * *'))(server.port)
  const [a, b] = [await daemon(place), await daemon(place)]
  await sharedBy(tenants.keys(), a, b)
  for (const { primary } of tenants.values()) {
    const [first, second] = [...primary.users.all()]
    primary.users.update(first?.userId ?? 0, { lastName: 'Canary-Renamed', email: 'canary.renamed@example.org' })
    primary.users.remove(second?.userId ?? 0)
    primary.users.add({ lastName: "O'Canary", email: `o'canary@example.org`, state: 'Active', mfaStatus: false })
  }
  await until(async () => (await mirrorDifferences(server, tenants)).length === 0)
  for (const path of ['/metrics', '/', '/api/v1/findings', '/api/v1/status', '/calendar.ics'])
    expect((await a.get(path)).status).toBe(200)
  expect((await program(place, 'findings').ended).code).toBeLessThan(3)
  for (const one of [a, b]) {
    one.child.kill('SIGTERM')
    expect((await one.ended).code).toBe(0)
  }
  expect((await program(place, 'sync').ended).code).toBeLessThan(3)
}

/** Lines of the log that show parameters of a statement, and the others. */
function linesOf(log: string) {
  const lines = log.split('\n')
  const isOfParameters = (line: string) => /DETAIL: {2}parameters: /.test(line)
  return { parameters: lines.filter(isOfParameters), others: lines.filter((line) => !isOfParameters(line)) }
}

const within = (lines: readonly string[], texts: readonly string[]) =>
  texts.filter((text) => text.length > 3 && lines.some((line) => line.includes(text)))

it.each([-1, 0])(
  'no statement in the server’s log contains a token, a name or an address, with log_parameter_max_length %i',
  async (length) => {
    const tenants = await startTenants(2, { users: 15, documents: 6 })
    const tokens = [...tenants.values()].map(({ tokens }) => tokens.reader)
    const before = namesIn(tenants)
    const server = await postgresServer({ settings: [...everything, `log_parameter_max_length=${length}`] })
    await work(server, tenants)
    const names = [...new Set([...before, ...namesIn(tenants), 'Canary-Renamed', 'canary.renamed@example.org'])]
    const { parameters, others } = linesOf(server.log())
    expect(others.length).toBeGreaterThan(1000)
    expect(within([...others, ...parameters], tokens)).toEqual([])
    expect(within(others, names)).toEqual([])
    if (length === 0) expect(parameters).toEqual([])
    // As docs/postgresql.md#the-server says: bound parameters are in the log unless the server leaves them out.
    else expect(within(parameters, names)).not.toEqual([])
  },
)
