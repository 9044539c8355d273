import { expect, it } from 'vitest'
import { canary, env, type Files, load, mistakesOf, problemsOf } from './load.ts'

const main = `tenants: [{ name: acme, baseUrl: https://api.example.com, auth: { token: { env: ACME_TOKEN } } }]\n`
const waiver = (id: string, check = 'user-mfa-enrolled') =>
  `{ id: ${id}, check: ${check}, entity: "42", tenant: acme, reason: Break-glass account kept in the safe, owner: me, expires: 2027-01-31 }`

const loaded = (files: Files) => load({ 'conf/a.yaml': main, ...files }, env, 'conf/a.yaml')
const problems = (files: Files) => problemsOf(() => loaded(files))

it('adds the waivers of files beside the configuration, one a file or a list', () => {
  const { settings } = loaded({
    'conf/a.yaml': `${main}waivers: [${waiver('W-1')}]\n`,
    'conf/waivers.d/2.yml': waiver('W-3'),
    'conf/waivers.d/1.yaml': `- ${waiver('W-2')}\n`,
    'conf/waivers.d/3.yaml': '# none yet\n',
    'conf/waivers.d/.hidden.yaml': 'x',
    'conf/waivers.d/README.md': 'x',
    'waivers.d/elsewhere.yaml': 'x',
  })
  expect(settings.waivers.map(({ id }) => id)).toEqual(['W-1', 'W-2', 'W-3'])
})

it('names file and line of every mistake', () => {
  const files = {
    'conf/waivers.d/a.yaml': `${waiver('W-1', 'user-mfa')}\n`,
    'conf/waivers.d/b.yaml': `- ${waiver('W-2')}\n- id: W-3\n  check: user-mfa-enrolled\n  entitty: "1"\n`,
    'conf/waivers.d/c.yaml': '- [\n',
    'conf/waivers.d/d.yaml': 'W-4\n',
    'conf/waivers.d/e.yaml': `- id: W-5\n  check: ${canary}-${'x'.repeat(40)}\n- 7\n`,
  }
  const places = problems(files).map((problem) => problem.replace(/^(\S+?:\d+):\d+: .*$/s, '$1'))
  const expected = ['c.yaml:1', 'd.yaml:1', 'a.yaml:1', ...Array(4).fill('b.yaml:2'), 'b.yaml:4']
  expect(places.filter((place) => !place.includes('e.yaml'))).toEqual(expected.map((one) => `conf/waivers.d/${one}`))
  expect(places.slice(expected.length).every((place) => /e\.yaml:[123]$/.test(place))).toBe(true)
  expect(mistakesOf(() => loaded({ 'conf/waivers.d/a.yaml': waiver('W-1', 'user-mfa') }))).toEqual(['1 invalid check'])
})

it('names both places of an id that stands twice', () => {
  const [problem, ...others] = problems({
    'conf/a.yaml': `${main}waivers:\n  - ${waiver('W-1')}\n`,
    'conf/waivers.d/a.yaml': waiver('W-1'),
  })
  expect(others).toEqual([])
  expect(problem).toMatch(/^conf\/waivers\.d\/a\.yaml:1:\d+: .*`waivers\[0\]\.id` at conf\/a\.yaml:3:\d+ has this id/)
})

it('refuses a folder that is none', () => {
  expect(problems({ 'conf/waivers.d': '' })).toEqual([expect.stringMatching(/^conf\/waivers\.d: /)])
})
