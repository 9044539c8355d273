import { expect, it } from 'vitest'
import { reloadable } from '../commands/support/reloading.ts'

const waiver = (id: string, owner: string) =>
  `{ id: ${id}, check: user-mfa-enrolled, entity: "*", tenant: acme, reason: "Accepted until the roll-out ends", owner: ${owner}, expires: 2999-12-31 }`

it('names the waivers that changed, in the answer and in the log', async () => {
  const world = await reloadable()
  const reload = async (more: string) => {
    world.configure({ more })
    return (await world.daemon.reload()).text
  }
  const first = `waivers: [${waiver('W-1', 'sec')}]`
  expect(await reload(first)).toBe('Reloaded: added waivers W-1')
  expect(await reload(`waivers: [${waiver('W-1', 'ops')}, ${waiver('W-2', 'sec')}]`)).toMatch(
    /added .*W-2; changed .*W-1/,
  )
  expect(await reload(`${first}\nhistory: { retentionDays: 7 }`)).toMatch(/changed .*W-1; removed .*W-2/)
  const waivers = { added: [], changed: ['W-1'], removed: ['W-2'] }
  expect(world.logged('Configuration reloaded').at(-1)).toMatchObject({ changed: [], waivers })
})
