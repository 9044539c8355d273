import { expect, it } from 'vitest'
import { dayMs, hourMs } from '../../src/model/time.ts'
import type { Trend } from '../../src/model/trend.ts'
import { at, posture, resource } from '../metrics/support/posture.ts'
import { ask } from './support/ask.ts'
import { textOf } from './support/html.ts'
import { waiver } from './support/scene.ts'
import { sources, type Wanted, webOptions } from './support/server.ts'

const trend = (over: Partial<Trend> = {}): Trend => ({
  from: at - 91 * dayMs,
  to: at,
  samples: Array.from({ length: 92 }, (_, i) => ({ at: at - (91 - i) * dayMs, open: { critical: 1, high: i } })),
  weeks: Array.from({ length: 13 }, (_, i) => {
    const to = at - (12 - i) * 7 * dayMs
    return { from: to - 7 * dayMs, to, opened: i, resolved: 2, fixed: 0, medianHoursToFix: null }
  }),
  medianHoursToFix: 72,
  mirroredAt: 0,
  holds: [],
  gaps: [],
  ...over,
})

async function page(shown: Trend | null, query = '', over: Wanted = {}): Promise<string> {
  const view = posture({ resources: [resource('api-clients')], waivers: [waiver({ expiresAt: at + 40 * dayMs })] })
  const secret = { clientId: 'c', name: 'Exporter <b>', role: null, own: false, expiresAt: at + 5 * dayMs }
  const given = { ...sources, posture: async () => [view], secrets: async () => [secret], trend: async () => shown }
  const { text } = await ask(webOptions({ sources: given, ...over }), `/${query}`)
  return text
}

const part = (html: string, id: string) => html.split(`id="${id}-acme"`)[1]?.split('</section>')[0] ?? ''
const bars = (html: string) => part(html, 'open').match(/class="s-high"/g)?.length

it('shows as many days as a link chooses, 30 by default, and of a short history 7', async () => {
  expect(bars(await page(trend()))).toBe(30)
  expect(bars(await page(trend(), '?days=90'))).toBe(90)
  expect((await page(trend(), '?days=90')).match(/aria-current="true">(\d+) days/)?.[1]).toBe('90')
  const { samples } = trend()
  const short = trend({ samples: samples.map((one, i) => (i < 90 ? { ...one, open: null } : one)) })
  expect(bars(await page(short))).toBe(2)
  expect((await page(short)).match(/aria-current="true">(\d+) days/)?.[1]).toBe('7')
})

it('never shows a day without a result as one without findings', async () => {
  const { samples } = trend()
  const unknown = await page(trend({ samples: samples.map((one) => ({ ...one, open: null })) }))
  expect(textOf(part(unknown, 'open'))).toMatch(/ \d{4}-\d\d-\d\d – \d/)
  expect(part(unknown, 'open')).not.toMatch(/class="s-|>0 open|none/)
})

it('marks holds and gaps in plot, description, legend and table', async () => {
  const marked = trend({
    gaps: [{ from: at - 50 * hourMs, to: at - 30 * hourMs }],
    holds: [{ from: at - 3 * dayMs, to: at }],
  })
  const html = part(await page(marked), 'open')
  expect(html.match(/fill="url\(#gap-acme\)"/g)).toHaveLength(1)
  expect(html.match(/<rect[^>]*class="on-hold"/g)).toHaveLength(1)
  expect(textOf(html)).toMatch(/Times without data: 1\. Holds: 1\..*without data.*on hold/)
  const rows = [...html.matchAll(/<tr role="row">(.*?)<\/tr>/gs)].map(([, cells = '']) => textOf(cells).trim())
  expect(rows.slice(1, 5).map((row) => row.split(' ').slice(-2))).toEqual([
    ['0', 'yes'],
    ['18', 'yes'],
    ['2', 'yes'],
    ['0', 'no'],
  ])
})

it('has each plot as an image with a name and a description, and as a table', async () => {
  const html = await page(trend())
  for (const id of ['open', 'weeks', 'ends']) {
    const one = part(html, id)
    expect(one).toMatch(
      new RegExp(`<svg[^>]*role="img"[^>]*aria-labelledby="${id}-acme_name" aria-describedby="${id}-acme_text"`),
    )
    expect(one).toMatch(new RegExp(`<title id="${id}-acme_name">.+</title><desc id="${id}-acme_text">.+</desc>`))
    expect(one).toMatch(/<details[^>]*><summary>As a table<\/summary><table/)
  }
  expect(html).not.toMatch(/<style| style=| on\w+=/)
})

it('shows what ends within 90 days, and names only where they may be shown', async () => {
  expect(textOf(part(await page(trend()), 'ends'))).toContain('1 secret and 1 waiver')
  expect(part(await page(trend()), 'ends')).toContain('<title>Exporter &lt;b&gt; in 5 days</title>')
  const secret = { clientId: 'c', name: 'jo@example.com', role: null, own: false, expiresAt: at + 5 * dayMs }
  const given = {
    ...sources,
    posture: async () => [posture()],
    secrets: async () => [secret],
    trend: async () => trend(),
  }
  expect((await ask(webOptions({ sources: given, exposeDetails: false }), '/')).text).not.toContain('jo@example.com')
})
