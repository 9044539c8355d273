import { expect, it } from 'vitest'
import { describeSimulator, type SimulatorOptions, tokenNames } from '../../src/simulator/index.ts'
import { start, startOnSockets, startTime } from './support.ts'

const day = 86_400_000
const resources = ['users', 'documents', 'api-clients', 'roles', 'permissions', 'authentication-settings'] as const

async function truth(options: SimulatorOptions) {
  const simulator = await start(options)
  simulator.live({ steps: 20 })
  return {
    tokens: { ...simulator.tokens },
    state: resources.map((resource) => [...simulator.state().records(resource)]),
    second: [...simulator.state('second').users()],
  }
}

it('gives the same tenants, tokens and life for the same seed, and others for another', async () => {
  const one = await truth({ seed: 'a' })
  expect(await truth({ seed: 'a' })).toEqual(one)
  const other = await truth({ seed: 'b' })
  expect(other.tokens.reader).not.toBe(one.tokens.reader)
  expect(other.state[0]).not.toEqual(one.state[0])
})

it('has every kind of compliance problem', async () => {
  const { primary } = await start()
  const age = (time: string | null) => (time === null ? Number.NaN : (startTime - Date.parse(time)) / day)
  const left = (time: string) => -age(time)

  const users = [...primary.state.users()]
  const invited = users.filter(({ state }) => state === 'Invited').map(({ createdAt }) => Math.floor(age(createdAt)))
  expect(invited).toEqual(expect.arrayContaining([3, 20, 40]))
  expect(users.some(({ state, mfaStatus }) => state === 'Active' && !mfaStatus)).toBe(true)
  expect(users.some(({ roleName }) => roleName === 'Former contractor')).toBe(true)
  expect(users.some(({ firstName }) => /[^ -~]/.test(firstName))).toBe(true)

  const clients = [...primary.state.apiClients()]
  const days = clients.map(({ secretExpirationDate }) => Math.round(left(secretExpirationDate)))
  expect(days).toEqual(expect.arrayContaining([-5, 3, 20, 900]))
  const roles = primary.state.roles()
  const named = (name: string) => roles.filter((role) => role.name === name)
  expect(clients.some(({ roleName }) => named(roleName).length === 0)).toBe(true)
  expect(clients.some(({ roleName }) => named(roleName).length === 2)).toBe(true)
  expect(clients.some(({ roleName }) => named(roleName)[0]?.state === 'Inactive')).toBe(true)
  const grants = (name: string) => named(name).flatMap(({ permissions }) => permissions.map((one) => one.code))
  expect(clients.some(({ roleName }) => grants(roleName).includes('Api_Users_Create'))).toBe(true)

  const documents = [...primary.state.documents()]
  const ages = (status: string | null) =>
    documents.filter(({ uploadStatus }) => uploadStatus === status).map(({ createdAt }) => age(createdAt))
  expect(ages('Processing')).toEqual([3, expect.closeTo(1 / 24)])
  expect(ages(null)).toEqual([4])
  expect(ages('Quarantined')).toEqual([5])
  expect(documents.some(({ createdAt, updatedAt }) => age(updatedAt ?? createdAt) > 365)).toBe(true)
  expect(new Set(documents.map(({ filename }) => filename)).size).toBeLessThan(documents.length)
  expect(documents.some(({ updatedAt }) => updatedAt === null)).toBe(true)
})

it('describes itself with URLs and every token', async () => {
  const simulator = await startOnSockets()
  const text = describeSimulator(simulator).join('\n')
  for (const part of [simulator.baseUrl, `${simulator.controlUrl}`, simulator.tokenUrl]) expect(text).toContain(part)
  for (const name of tokenNames) expect(text).toContain(`${name.padEnd(20)} ${simulator.tokens[name]}`)
})
