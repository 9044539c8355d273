import { expect, it } from 'vitest'
import type { Simulator } from '../../src/simulator/index.ts'
import { scheduleLine } from '../support/schedule.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { faintTexts, reader } from './support/browser.ts'
import { daemon, type Place, placeFor, program, type RunningDaemon, simulate, until } from './support/program.ts'

const soon = '*/2 * * * * *'
const inAYear = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10)

const settings = (clients: readonly string[]) => `${scheduleLine(soon)}
freshness: { roles: 4s }
waivers:
  - id: sso-migration
    tenant: acme
    check: auth-sso-enforced
    entity: authentication-settings
    owner: Jo Fields
    reason: Sign-in moves to the new identity provider in autumn
    expires: ${inAYear}
  - id: retired-monitor
    tenant: acme
    check: api-client-secret-not-expired
    entity: ${clients[0] ?? ''}
    owner: Ops on call
    reason: The retired monitor is deleted with the old data centre
    expires: 2026-01-31
`

interface Scene {
  readonly simulator: Simulator
  readonly place: Place
  readonly one: RunningDaemon
}

/** A tenant with every kind of problem, whose roles cannot be read any more and have become stale. */
async function scene(): Promise<Scene> {
  const simulator = await simulate()
  const { clientId } = simulator.primary['api-clients'].add({
    name: 'Retired exporter',
    secretExpirationDate: '2026-01-02T00:00:00Z',
  })
  const place = placeFor(simulator, temporaryFolder(), settings([clientId]))
  const one = await daemon(place)
  await until(async () => (await one.get('/')).text.includes('12 fail'))
  simulator.faults.add({
    path: '/api/public/roles',
    effect: { kind: 'status', status: 500, message: 'Internal error' },
  })
  await until(async () => /"roles"[^}]*"state":"stale"[^}]*"message":"/.test((await one.get('/api/v1/status')).text))
  return { simulator, place, one }
}

it('filters to critical findings by the keyboard alone, and opens the evidence of one', async () => {
  const { one, place } = await scene()
  const { page, complaints, picture } = await reader()
  await page.goto(one.url)
  const focused = () => page.evaluate('document.activeElement.id') as Promise<string>
  const tabTo = async (isIt: (id: string) => boolean) => {
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press('Tab')
      if (isIt(await focused())) return
    }
    throw new Error('Tab leads nowhere near it')
  }
  await tabTo((id) => id === 'severity-critical-acme')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\?severity=critical#findings-acme$/)
  await page.getByRole('status').filter({ hasText: 'findings match' }).waitFor()
  expect(await page.getByRole('status').first().innerText()).toBe('3 findings match')
  const rows = page.locator('#findings-acme .findings > li')
  const badges = await rows.locator('.badge:first-child').allInnerTexts()
  expect(badges).toEqual(['critical', 'critical', 'critical'])
  for (let presses = 0; !(await page.evaluate('document.activeElement.matches(".findings summary")')); presses++) {
    expect(presses).toBeLessThan(20)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  const details = rows.locator('details').first()
  expect(await details.getAttribute('open')).not.toBeNull()
  const shown = await details.innerText()
  for (const fact of ['secretExpirationDate', 'Request id', 'Read at', 'Rule', 'First seen'])
    expect(shown).toContain(fact)
  await details.scrollIntoViewIfNeeded()
  await picture('evidence')
  const [, fingerprint = ''] = /tenantwatch explain ([\da-f]+)/.exec(shown) ?? []
  const explained = await program(place, 'explain', fingerprint).ended
  expect([explained.code, explained.stdout]).toEqual([0, expect.stringContaining('expired')])
  await page.getByRole('link', { name: 'Clear' }).click()
  await page.locator('#check-acme-document-current > summary').click()
  await page.locator('#check-acme-document-current .more a').first().click()
  await rows.nth(49).waitFor({ state: 'visible' })
  expect(complaints).toEqual([])
})

it('shows a change after the next sync by itself, and keeps open rows, filter and scroll position', async () => {
  const { one, simulator } = await scene()
  const { page, complaints } = await reader({ viewport: { width: 1280, height: 700 } })
  await page.goto(one.url)
  // Not every browser keeps the place by itself.
  await page.evaluate("document.documentElement.style.overflowAnchor = 'none'")
  await page.getByLabel('Text').fill('role')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=role#findings-acme$/)
  await page.getByRole('status').filter({ hasText: 'match' }).waitFor()
  await page.evaluate('window.sameDocument = true')
  const evidence = page.locator('#findings-acme .findings details').nth(1)
  await evidence.locator('summary').click()
  const id = (await evidence.getAttribute('id')) ?? ''
  const topOf = async () => Math.round((await page.locator(`#${id}`).boundingBox())?.y ?? -1)
  await page.mouse.wheel(0, 150)
  await page.waitForFunction('scrollY > 100')
  const before = await topOf()
  simulator.primary['authentication-settings'].update(0, { ssoEnforced: true })
  simulator.primary.users.add({ raw: { createdAt: 'no date' } })
  const change = page.locator('#changes-acme tr').filter({ hasText: 'ssoEnforced' })
  // It is in a folded list.
  await change.waitFor({ state: 'attached', timeout: 60_000 })
  expect(await change.textContent()).toMatch(/false\s*→\s*true/)
  // Above what is read the page grew: another resource has a data quality problem.
  await page.locator('.problem').filter({ hasText: 'quarantined' }).waitFor({ timeout: 60_000 })
  expect(await page.evaluate('window.sameDocument')).toBe(true)
  expect(await page.locator(`#${id}`).getAttribute('open')).not.toBeNull()
  expect(Math.abs((await topOf()) - before)).toBeLessThan(4)
  expect(page.url()).toMatch(/q=role#findings-acme$/)
  expect(await page.getByLabel('Text').inputValue()).toBe('role')
  expect(complaints).toEqual([])
})

it.each(['light', 'dark'] as const)('can be read on a phone and on a desk when it is %s', async (colorScheme) => {
  const { one } = await scene()
  for (const [name, width, height] of [
    ['desk', 1280, 1400],
    ['phone', 390, 844],
    ['small-phone', 320, 640],
  ] as const) {
    const { page, complaints, picture } = await reader({ colorScheme, viewport: { width, height } })
    await page.goto(one.url)
    await picture(`${name}-${colorScheme}`)
    await page.locator('details').first().locator('summary').first().click()
    expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width])
    const wide = `[...document.querySelectorAll('main *')].filter((one) => one.checkVisibility() && !one.closest('thead') && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))`
    expect([name, await page.evaluate(wide)]).toEqual([name, []])
    expect(await faintTexts(page)).toEqual([])
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    expect(await page.getByRole('table').count()).toBe(6)
    expect(await page.getByRole('columnheader').count()).toBe(31)
    await picture(`${name}-${colorScheme}-findings`)
    expect(complaints).toEqual([])
  }
})

it('works without scripts: reading, filtering, refreshing and syncing', async () => {
  const { one } = await scene()
  const { page, complaints } = await reader({ javaScriptEnabled: false })
  await page.goto(one.url)
  expect(await page.locator('meta[http-equiv="refresh"]').getAttribute('content')).toBe('60')
  await page.locator('.chip', { hasText: /^critical/ }).click()
  await page.waitForURL(/\?severity=critical#findings-acme$/)
  await page.getByLabel('Text').fill('Retired exporter')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/q=Retired\+exporter/)
  expect(page.url()).toContain('severity=critical')
  expect(await page.getByRole('status').first().innerText()).toBe('1 finding matches')
  await page.locator('#findings-acme .findings details').first().locator('summary').click()
  expect(await page.locator('#findings-acme .findings details').first().innerText()).toContain('tenantwatch explain')
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page.waitForURL(/#tenant-acme$/)
  await page.getByRole('status').filter({ hasText: 'Sync requested' }).waitFor()
  expect(complaints).toEqual([])
})
