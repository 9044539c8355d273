import { expect, it } from 'vitest'
import { describeSimulator, type SimulatorOptions, tokenNames } from '../../src/simulator/index.ts'
import { start, startOnSockets } from './support.ts'

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

it('describes itself with URLs and every token', async () => {
  const simulator = await startOnSockets()
  const text = describeSimulator(simulator).join('\n')
  for (const part of [simulator.baseUrl, `${simulator.controlUrl}`, simulator.tokenUrl]) expect(text).toContain(part)
  for (const name of tokenNames) expect(text).toContain(`${name.padEnd(20)} ${simulator.tokens[name]}`)
})
