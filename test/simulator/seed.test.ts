import { expect, it } from 'vitest'
import { worldResources } from '../simulation/world.ts'
import { start } from './support.ts'

async function truth(seed: string) {
  const simulator = await start({ seed })
  simulator.live(20)
  const state = worldResources.map((resource) => [...simulator.primary.resources[resource].all()])
  return [{ ...simulator.tokens }, state, [...simulator.second.users.all()]]
}

it('gives the same tenants, tokens and life for the same seed, and others for another', async () => {
  const one = await truth('a')
  expect(await truth('a')).toEqual(one)
  for (const [i, part] of (await truth('b')).entries()) expect(part).not.toEqual(one[i])
})
