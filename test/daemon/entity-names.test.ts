import { expect, it } from 'vitest'
import type { FindingView } from '../../src/model/finding.ts'
import { reloadable } from '../commands/support/reloading.ts'

const path = '/api/v1/findings?check=user-mfa-enrolled'

type World = Awaited<ReturnType<typeof reloadable>>

const listOf = async (world: World, query = '') => JSON.parse(await world.get(path + query)) as readonly FindingView[]

/** The fingerprints in every output that a text can be searched in. */
async function found(world: World, text: string) {
  const q = encodeURIComponent(text)
  const html = await world.get(`/?tenant=acme&check=user-mfa-enrolled&q=${q}`)
  const csv = await world.get(`${path.replace('findings', 'findings.csv')}&q=${q}`)
  return {
    json: (await listOf(world, `&q=${q}`)).map(({ fingerprint }) => fingerprint),
    page: [...html.matchAll(/ id="finding-([^"]+)"/g)].map(([, id]) => id),
    csv: csv.trimEnd().split('\r\n').length - 1,
  }
}

it('shows and finds users by name and e-mail, and neither from the moment at which details are hidden', async () => {
  const world = await reloadable()
  const [one] = await listOf(world)
  const { name = '', email = '' } = one?.entity ?? {}
  expect([name, email]).toEqual([expect.stringMatching(/^\S+ \S+/), expect.stringContaining('@')])
  const fingerprints = [one?.fingerprint]
  expect(await found(world, email.toUpperCase())).toEqual({ json: fingerprints, page: fingerprints, csv: 1 })
  expect((await found(world, name)).page).toContain(one?.fingerprint)
  const html = await world.get('/?check=user-mfa-enrolled&show=more')
  expect(html).toContain(`<span class="who"><bdi>${email.replace('@', '<wbr>@')}</bdi></span>`)
  expect((await world.get(path.replace('findings', 'findings.csv'))).split('\r\n')[0]).toMatch(
    /,"name","email","filename"$/,
  )

  world.configure({ server: 'exposeDetails: false' })
  expect(await world.daemon.reload()).toMatchObject({ ok: true })
  for (const text of [name, email, email.split('@')[0] ?? ''])
    expect(await found(world, text)).toEqual({ json: [], page: [], csv: 0 })
  const outputs = ['/?show=more', path, path.replace('findings', 'findings.csv'), '/api/v1/status', '/metrics']
  for (const output of outputs) {
    const shown = (await world.get(output)).replaceAll('<wbr>', '')
    expect([output, shown.includes(email), shown.includes(name)]).toEqual([output, false, false])
  }
  expect((await listOf(world)).flatMap(({ entity }) => Object.keys(entity))).not.toContain('email')
})

it('hides names by default on an address beyond this machine', async () => {
  const world = await reloadable({ listen: '0.0.0.0:0' })
  const all = await listOf(world)
  expect(all.length).toBeGreaterThan(0)
  expect(new Set(all.flatMap(({ entity }) => Object.keys(entity)))).toEqual(new Set(['type', 'id']))
  expect(await world.get('/?show=more')).not.toContain('class="who"')
})
