import { expect, it } from 'vitest'
import type { TenantPosture } from '../../src/model/posture.ts'
import { at, check, mode, posture, resource } from '../metrics/support/posture.ts'
import { acme, globex } from '../web/support/scene.ts'
import { sources, startServer } from '../web/support/server.ts'
import { reader } from './support/browser.ts'

const widths = [320, 360, 390, 701, 800, 1001, 1024, 1280]
const day = 86_400_000

const refused = { up: false, reason: 'missing_permission' as const, lastSuccessAt: at - day }
const incremental = { mode: 'incremental' as const }
const states: Readonly<Record<string, TenantPosture>> = {
  eventful: acme,
  healthy: globex,
  'missing-permission': posture({
    checks: [
      check('user-mfa-enrolled', {
        status: 'unknown',
        reason: 'missing_permission',
        entities: 48_211,
        open: { critical: 1_234, high: 12_345 },
      }),
    ],
    resources: [
      resource('api-clients'),
      resource('authentication-settings'),
      resource('users', {
        live: 48_211,
        refused: 'missing_permission',
        message: 'Listing users failed with 401: the API client lacks the permission Api_Users_Read',
        modes: [mode({ ...incremental, ...refused }), mode(refused)],
      }),
    ],
  }),
  'tenant-changed': posture({
    holds: [
      {
        id: 'H-7f3a91c2',
        resource: 'all',
        reason: 'tenant_changed',
        count: 1,
        message: 'The base URL answers for another tenant: None of the 25 ids is in the mirror',
        raisedAt: at - day,
      },
    ],
    resources: (['authentication-settings', 'documents', 'users'] as const).map((name) =>
      resource(name, {
        live: 12_345,
        modes: ['incremental', 'full'].map((of) =>
          mode({ mode: of as 'full', up: false, reason: 'tenant_changed', lastSuccessAt: at - day }),
        ),
      }),
    ),
  }),
}

it.each(Object.entries(states))('fits into every width of a window: %s', async (name, of) => {
  await using server = await startServer({ sources: { ...sources, posture: async () => [of] } })
  const { page, complaints, picture } = await reader()
  await page.goto(server.origin)
  await page.evaluate('for (const one of document.querySelectorAll(".part > details")) one.open = true')
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await picture(`${name}-${width}`, true)
    expect([width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([width, width])
    const ends = `new Set([...document.querySelectorAll('.part > :is(table, details > table)')].map((one) => Math.round(one.getBoundingClientRect().right)))`
    expect([width, await page.evaluate(`[...${ends}].length`)]).toEqual([width, 1])
  }
  expect(complaints).toEqual([])
})

it('breaks a command on a phone between its words only', async () => {
  await using server = await startServer({ sources: { ...sources, posture: async () => [acme] } })
  const { page } = await reader({ viewport: { width: 390, height: 900 } })
  await page.goto(server.origin)
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
  const heights = `[...document.querySelectorAll('.command > span')].map((one) => one.getBoundingClientRect().height)`
  const seen = (await page.evaluate(heights)) as number[]
  expect(seen.length).toBeGreaterThan(10)
  expect(Math.max(...seen)).toBeLessThan(1.5 * Math.min(...seen))
})

it('is short on a phone: resources without a problem are folded, a failing check takes four lines', async () => {
  await using server = await startServer({ sources: { ...sources, posture: async () => [acme] } })
  const { page } = await reader({ viewport: { width: 390, height: 844 } })
  await page.goto(server.origin)
  const folded = page.locator('#data-acme details')
  expect(await folded.innerText()).toBe('3 resources complete and fresh')
  const shown = page.locator('#data-acme tbody').getByRole('rowheader')
  expect(await shown.allInnerTexts()).toEqual(['documents', 'roles', 'users'])
  const check = page.locator('.checks tbody').getByRole('row').first()
  expect((await check.boundingBox())?.height).toBeLessThan(120)
})
