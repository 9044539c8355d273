import { expect, it } from 'vitest'
import { aDay, synced } from '../commands/support/cli.ts'
import { reader } from './support/browser.ts'

it('fits a narrow screen: only tables scroll sideways, whatever the tenant is called', async () => {
  const world = await synced({
    simulator: { sizes: { users: 30, documents: 20 } },
    tenants: [{ name: 'm'.repeat(48) }],
  })
  world.simulator.primary.removeUsers(0.5)
  world.pass(aDay)
  await world.run('sync')
  const { page } = await reader({ viewport: { width: 390, height: 2000 } })
  await page.setContent((await world.run('report', '--details')).stdout)
  // As an expression: types of the browser are unknown here.
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await page.evaluate("document.querySelectorAll('.hold').length")).toBe(1)
})
