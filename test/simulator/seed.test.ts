import { expect, it } from 'vitest'
import type { SimulatorOptions } from '../../src/simulator/index.ts'
import { worldResources } from '../simulation/world.ts'
import { start } from './support.ts'

async function truth(options: SimulatorOptions) {
  const simulator = await start(options)
  simulator.live(20)
  return {
    tokens: { ...simulator.tokens },
    state: worldResources.map((resource) => [...simulator.primary.resources[resource].all()]),
    second: [...simulator.second.users.all()],
  }
}

it('gives the same tenants, tokens and life for the same seed, and others for another', async () => {
  const one = await truth({ seed: 'a' })
  expect(await truth({ seed: 'a' })).toEqual(one)
  const other = await truth({ seed: 'b' })
  expect(other.tokens.reader).not.toBe(one.tokens.reader)
  expect(other.state.at(-1)).not.toEqual(one.state.at(-1))
})
