import { expect, it } from 'vitest'
import type { FindingView as Finding } from '../../src/model/finding.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { placeFor, program, simulate } from './support/program.ts'

const zones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati']
const exports = [
  ['export', 'users'],
  ['export', 'api-clients', '--format', 'csv'],
  ['export', 'documents'],
]

/** The text of a finding, without the request and the second in which it was found. */
const wordsOf = ({ fingerprint, severity, state, message }: Finding) => [fingerprint, severity, state, message].join()

it('finds and shows the same in every time zone, also where dates name none', async () => {
  const start = Date.now()
  const simulator = await simulate({ clock: () => start, sizes: { users: 40, documents: 30 } })
  const { primary } = simulator
  // Around midnight of some zone each, and each on the edge of what some check counts.
  for (let hour = 0; hour < 24; hour++) {
    const edge = (days: number) => new Date(start + days * 24 * 3_600_000 - hour * 3_600_000).toISOString().slice(0, 19)
    primary['api-clients'].add({ raw: { secretExpirationDate: edge(1) } })
    primary.users.add({ state: 'Invited', raw: { createdAt: edge(-14) } })
    primary.documents.add({ uploadStatus: 'Completed', raw: { createdAt: edge(-365), updatedAt: null } })
  }
  const observed = await Promise.all(
    zones.map(async (zone) => {
      const place = placeFor(simulator, temporaryFolder())
      const inZone = { ...place, env: { ...place.env, TZ: zone } }
      expect(await program(inZone, 'sync').ended).toMatchObject({ code: 0 })
      const found = JSON.parse((await program(inZone, 'findings', '--format', 'json').ended).stdout) as Finding[]
      const texts = found.map(wordsOf).sort()
      for (const args of exports) texts.push((await program(inZone, ...args).ended).stdout)
      return texts.join('\n')
    }),
  )
  expect(observed[0]?.length).toBeGreaterThan(20_000)
  for (const [index, text] of observed.entries())
    expect([zones[index], text === observed[0]]).toEqual([zones[index], true])
})
