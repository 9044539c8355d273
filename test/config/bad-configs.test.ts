import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { expectedMistakes } from './expected-mistakes.ts'
import { canary, load, mistakesOf, problemsOf } from './load.ts'

const folder = new URL('../bad-configs/', import.meta.url)
const cases = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
const expected = expectedMistakes(folder)
const env = { ACME_TOKEN: canary, GLOBEX_TOKEN: canary, EMPTY_TOKEN: '' }

it('expects mistakes of every bad configuration', () => {
  expect([...expected.keys()]).toEqual(cases)
})

it.each(cases)('reports exactly the mistakes of %s, each on its line', (name) => {
  const files = { [name]: readFileSync(new URL(name, folder), 'utf8'), 'token.txt': canary }
  const run = () => load(files, env, name)
  expect(mistakesOf(run)).toEqual(expected.get(name))
  const problems = problemsOf(run)
  expect(problems.join('\n')).not.toContain(canary)
  for (const problem of problems) expect(problem).toMatch(new RegExp(`^${name}:(\\d+:\\d+:)? .{20,}$`))
})
