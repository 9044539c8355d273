import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { md } from '../../src/report/report-oscal.ts'
import { synced } from '../commands/support/cli.ts'
import { texts } from '../hostile/support/corpus.ts'
import { bareMarkdown } from '../hostile/support/reading.ts'

/** The official schema of NIST. */
const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, 'support/oscal-assessment-results-1.0.6.json'), 'utf8'),
)
const ajv = new Ajv({ strict: false, allErrors: true })
formats.default(ajv)
const isValid = ajv.compile(schema)

interface Part {
  readonly uuid: string
  readonly props: readonly { readonly name: string; readonly value: string }[]
  readonly status: string
  readonly target: {
    readonly 'target-id': string
    readonly status: { readonly state: string; readonly reason: string }
  }
  readonly 'related-observations': readonly { readonly 'observation-uuid': string }[]
}
interface Result extends Pick<Part, 'props'> {
  readonly findings: readonly Part[]
  readonly observations: readonly Part[]
  readonly risks?: readonly Part[]
  readonly attestations?: readonly { readonly parts: readonly object[] }[]
}

const propOf = ({ props }: Pick<Part, 'props'>, name: string) => props.find((one) => one.name === name)?.value

async function oscal(run: (...args: string[]) => Promise<{ readonly stdout: string }>, ...args: string[]) {
  const { stdout } = await run('report', '--format', 'oscal', ...args)
  const document = JSON.parse(stdout)
  expect(isValid(document), JSON.stringify(isValid.errors?.slice(0, 3))).toBe(true)
  return { stdout, results: document['assessment-results'].results as readonly Result[] }
}

const waiver =
  '{ id: W-1, check: auth-sso-enforced, entity: "*", tenant: acme, owner: ops, expires: 2027-01-01, reason: Moved in spring as agreed }'

const portalUrl = 'portalUrl: { user: "https://portal.example.com/users/{userId}" }'

it('is what the schema of NIST wants, the same for the same time, with every finding as a risk', async () => {
  const { run, pass, now } = await synced({ more: `waivers: [${waiver}]\nowners: [{ name: ops }]\n${portalUrl}` })
  const asOf = new Date(now()).toISOString()
  const found = JSON.parse((await run('findings', '--all', '--format', 'json')).stdout)
  const { stdout, results } = await oscal(run, '--as-of', asOf)
  pass(3_600_000)
  expect((await oscal(run, '--as-of', asOf)).stdout).toBe(stdout)
  const [result] = results
  const statusOf = new Map(result?.risks?.map((risk) => [propOf(risk, 'fingerprint'), risk.status]))
  expect(statusOf).toEqual(
    new Map(
      found.map(({ fingerprint, state }: { fingerprint: string; state: string }) => [
        fingerprint,
        state === 'waived' ? 'deviation-approved' : 'open',
      ]),
    ),
  )
  expect(new Set(result?.risks?.map((risk) => propOf(risk, 'owner')))).toEqual(new Set(['ops']))
  expect(stdout).toContain('"links":[{"href":"https://portal.example.com/users/')
  const observed = new Set(result?.observations.map(({ uuid }) => uuid))
  expect(observed.size).toBe(result?.observations.length)
  for (const one of [...(result?.risks ?? []), ...(result?.findings ?? [])])
    for (const related of one['related-observations']) expect(observed).toContain(related['observation-uuid'])
  expect(result?.attestations?.[0]?.parts).toMatchObject([{ name: 'waiver', prose: 'Moved in spring as agreed' }])
})

it('calls a requirement satisfied only if its checks pass', async () => {
  const { run, simulator } = await synced({ simulator: { problems: false } })
  simulator.credentials.reader.permissions.delete('Api_Users_Read')
  await run('sync', '--full')
  const [result] = (await oscal(run)).results
  expect(result?.props.filter(({ name }) => name === 'resource').map(({ value }) => value)).toContainEqual(
    expect.stringMatching(/^users: missing permission; data as of \S+Z$/),
  )
  const report = JSON.parse((await run('report', '--format', 'json')).stdout).tenants[0]
  const states = report.frameworks.flatMap(({ requirements }: { requirements: { state: string }[] }) =>
    requirements.map(({ state }) => state).filter((state) => state !== 'no_check'),
  )
  expect(new Set(states).has('unknown')).toBe(true)
  expect(result?.findings.map((one) => propOf(one, 'state'))).toEqual(states)
  for (const { target, ...one } of result?.findings ?? []) {
    const passes = propOf(one, 'state') === 'supported'
    expect([target.status.state, target.status.reason === 'pass']).toEqual([
      passes ? 'satisfied' : 'not-satisfied',
      passes,
    ])
  }
  expect(result?.findings.map(({ target }) => target['target-id'])).toContain('ia-2.1')
  expect(result).not.toHaveProperty('risks')
})

it('is valid whatever clients and documents are called, and hides names unless it is asked for them', async () => {
  const { run, simulator } = await synced({ simulator: { sizes: { users: 3, documents: 3 } } })
  for (const name of Object.values(texts)) {
    simulator.primary['api-clients'].add({ name, secretExpirationDate: '2026-01-01T00:00:00Z' })
    simulator.primary.documents.add({
      filename: name,
      uploadStatus: 'Odd',
      updatedAt: Date.parse('2020-01-01T00:00:00Z'),
    })
  }
  simulator.primary.users.add({ firstName: 'Newcomer', email: 'newcomer@primary.example', mfaStatus: false })
  await run('sync', '--full')
  expect((await oscal(run)).stdout).not.toMatch(/Newcomer|newcomer@/)
  await oscal(run, '--details')
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('`', ' ', '\\', '*', '|', 'a') }),
)

it('leaves no markup of a text outside a code span', () => {
  fc.assert(
    fc.property(anyText, (any) => {
      expect(bareMarkdown(md(any))).not.toMatch(/[\\`*_[\]<>|#~&@$!]|:\/\//)
    }),
  )
})
