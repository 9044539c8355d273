import { expect, it } from 'vitest'
import { aDay, synced } from '../commands/support/cli.ts'
import { reader } from './support/browser.ts'

it('fits screens: nothing is cut off or scrolls sideways, whatever the tenant is called', async () => {
  const world = await synced({
    simulator: { sizes: { users: 30, documents: 20 } },
    tenants: [{ name: 'm'.repeat(48) }],
  })
  world.simulator.primary.removeUsers(0.5)
  world.pass(aDay)
  await world.run('sync')
  const { page } = await reader({ viewport: { width: 390, height: 2000 } })
  await page.setContent((await world.run('report', '--details')).stdout)
  // As expressions: types of the browser are unknown here.
  const beyond =
    "[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length"
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 2000 })
    expect([width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([width, width])
    expect([width, await page.evaluate(beyond)]).toEqual([width, 0])
  }
  expect(await page.evaluate("document.querySelectorAll('.hold').length")).toBe(1)
})

it('takes less than a third of a page of paper a finding, with all requirements and checks', async () => {
  const { run } = await synced()
  const { page } = await reader()
  const { stdout } = await run('report')
  await page.setContent(stdout)
  const findings = stdout.match(/<li><p>/g)?.length ?? 0
  expect(findings).toBeGreaterThan(100)
  const pdf = await page.pdf({ format: 'A4', margin: { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' } })
  const pages = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0
  expect(pages).toBeGreaterThan(5)
  expect(pages).toBeLessThan(findings / 3)
})
