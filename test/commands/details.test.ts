import { afterAll, expect, it } from 'vitest'
import { driftIdIn, type FindingView } from '../../src/model/finding.ts'
import { aDay, json, synced } from './support/cli.ts'

/** A tenant in which whatever may name a person or a file is a canary, changed and removed once. */
async function world() {
  const one = await synced({
    finished: afterAll,
    simulator: { problems: false, sizes: { users: 20, documents: 10 } },
    more: `checks: { document-required-present: { requirements: [{ id: soc, pattern: "Canary plan*.pdf" }] } }
waivers: [{ id: W-1, check: user-mfa-enrolled, entity: canary@example.com, tenant: acme, owner: security, reason: Named by the e-mail address, expires: 2026-06-30 }]`,
  })
  const { primary, credentials } = one.simulator
  const { reader } = credentials
  const old = { createdAt: '2024-01-01T00:00:00Z', updatedAt: null }
  const person = { firstName: 'Canary', lastName: 'Else', email: 'canary@example.com', mfaStatus: false }
  const { userId } = primary.users.add(person)
  const leaving = primary.users.add({ ...person, email: 'canary3@example.com' })
  const locked = primary.users.add({ ...person, email: 'canary4@example.com', mfaStatus: true })
  const { fileId } = primary.documents.add({ filename: 'canary.pdf', uploadStatus: 'Lost', ...old })
  const [client] = [...primary['api-clients'].all()].filter(({ clientId }) => clientId !== reader.clientId)
  await one.run('sync', '--full')
  primary.users.update(userId, { email: 'canary2@example.com', nickname: 'Canary' } as never)
  primary.users.update(locked.userId, { state: 'Locked by canary@example.com' })
  primary.documents.update(fileId, { filename: 'canary2.pdf' })
  primary['authentication-settings'].update(0, { tenantName: 'sso of canary@example.com' })
  const clientId = client?.clientId ?? ''
  const expired = { secretExpirationDate: '2026-01-01T00:00:00Z' }
  primary['api-clients'].update(clientId, {
    ...expired,
    owner: 'Canary',
    name: 'Export by canary@example.com',
  } as never)
  one.pass(aDay)
  await one.run('sync', '--full')
  primary.users.remove(leaving.userId)
  one.pass(aDay)
  await one.run('sync', '--full')
  const found = await json<FindingView>(one, 'findings')
  const drift = found.find(({ entity }) => entity.id === 'tenantName')
  await one.run('accept', (drift && driftIdIn(drift)) ?? '', '--reason', 'agreed with the team')
  const about = (id: string) => found.find(({ entity }) => entity.id === id)?.fingerprint ?? ''
  return { ...one, userId, fingerprints: [String(userId), fileId, 'soc', clientId, 'tenantName'].map(about) }
}

const shared = await world()
const formats = (command: string, ...names: string[]) => names.map((name) => `${command} --format ${name}`)

it.each([
  ...formats('findings --all', 'table', 'json', 'ndjson', 'csv', 'ocsf'),
  ...formats('report', 'html', 'json', 'oscal'),
  ...formats('history', 'table', 'json', 'csv'),
  ...shared.fingerprints.flatMap((fingerprint) => formats(`explain ${fingerprint}`, 'text', 'json')),
])('names persons and files with --details only: %s', async (line) => {
  const hidden = await shared.run(...line.split(' '))
  const exposed = await shared.run(...line.split(' '), '--details')
  expect([hidden.code, exposed.code]).toEqual([0, 0])
  expect([/canary/i.test(hidden.stdout), /canary/i.test(exposed.stdout)]).toEqual([false, true])
})

it('has no e-mail address of an unknown state in the doctor', async () => {
  const { stdout } = await shared.run('doctor')
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/1 Locked by \[e-mail\] with/)
  expect(stdout).not.toMatch(/canary/i)
})

it('gives a user of a finding a name and an e-mail, also one that is gone', async () => {
  const entities = (await json<FindingView>(shared, 'findings', '--all', '--details')).map(({ entity }) => entity)
  const named = { type: 'user', name: 'Canary Else' }
  expect(entities).toContainEqual({ ...named, id: String(shared.userId), email: 'canary2@example.com' })
  expect(entities).toContainEqual(expect.objectContaining({ ...named, email: 'canary3@example.com' }))
})
